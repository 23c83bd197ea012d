// Lists the flushes that are under way in this process, so that any thread can end them.
#pragma once

#include <mutex>
#include <vector>

#include "hearsay/cancellation.h"
#include "hearsay/ledger.h"

namespace hearsay::sdk {

// The list of flushes. Thread-safety: any number of threads may use the list at once. A forked child must not use its
// copy of the list.
class Flushes {
 public:
  // Returns the process's only list. The list is never destroyed, since a thread may flush until the process ends.
  static Flushes& of_process();

  // A flush is in the list while its entry exists.
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

  // Ends the flushes of one client, or of all clients that share a ledger.
  void cancel(const void* client);
  void cancel(const Ledger& ledger);

 private:
  std::mutex mutex_;
  std::vector<const Entry*> entries_;
};

}  // namespace hearsay::sdk
