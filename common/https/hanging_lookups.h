// Keeps look-ups of names that outlive their exchange, so that the process can count the threads of these look-ups.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "common/https/exchange.h"
#include "common/https/handles.h"

namespace hearsay::https {

// Holds each exchange that ended during the look-up of its server's name, until the look-up returns. See README.md.
// Thread-safe.
class HangingLookups {
 public:
  static constexpr std::size_t kMax = 4;  // while this many exchanges are kept, no exchange begins a look-up

  // Returns the only HangingLookups of the process. The collection is never destroyed, since the threads of look-ups
  // may outlive main().
  static HangingLookups& of_process();

  // Returns the number of exchanges kept.
  std::size_t size();

  // Takes over an abandoned exchange together with the multi handle that the exchange runs in.
  void keep(Multi multi, std::unique_ptr<Exchange> exchange);

  // Frees the exchanges whose look-ups have returned.
  void sweep();

 private:
  struct Kept {
    Multi multi;
    std::unique_ptr<Exchange> exchange;
  };

  std::mutex mutex_;
  std::vector<Kept> kept_;
};

}  // namespace hearsay::https
