// Lists the flushes that are under way in this process, so that another thread can end them.
#pragma once

#include <mutex>
#include <vector>

#include "hearsay/cancellation.h"
#include "hearsay/ledger.h"

namespace hearsay::sdk {

// Knows every flush from its call to its return. Thread-safe. A forked child gets the parent's list and must not use
// it.
class Flushes {
 public:
  // The process has one list. The list is never destroyed: a thread may flush until the process ends.
  static Flushes& of_process();

  // Lists a flush while the entry exists.
  class Entry {
   public:
    Entry(const void* client, const Ledger& ledger, Cancellation& cancellation);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    friend class Flushes;
    const void* client_;
    const Ledger* ledger_;
    Cancellation* cancellation_;
  };

  // End the flushes of one client, and of all clients that share a ledger.
  void cancel(const void* client);
  void cancel(const Ledger& ledger);

 private:
  std::mutex mutex_;
  std::vector<const Entry*> entries_;
};

}  // namespace hearsay::sdk
