// Lets each database do its upkeep at its own pace, so that a slow database does not delay the others.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "aggregator/store/spread/spread.h"

namespace hearsay::store::spread {

// One kind of upkeep of all databases. Thread-safe. The destructor waits until all work under way has ended.
class Upkeep {
 public:
  // The work for one database. run() calls this function for each database, on a thread of its own.
  using Work = std::function<Expiry(Store&)>;

  struct Done {
    Expiry ended;               // the sum of the work that has ended since the last call, and the first failure
    std::optional<Error> late;  // names a database whose work has not ended
  };

  Upkeep(std::vector<Member> members, std::chrono::milliseconds patience);

  // Begins the work at each database, except where earlier work has not ended. Waits for the work that this call began,
  // but at most for `patience`. Work that has not ended goes on, and a later call returns its result.
  Done run(const Work& work);

 private:
  const std::vector<Member> members_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::vector<std::future<Expiry>> at_work_;  // one for each member; not valid() if no work is under way
};

}  // namespace hearsay::store::spread
