// One database at work: a thread of its own that confirms windows and appends reports.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "aggregator/store/spread/known_map.h"
#include "aggregator/store/spread/share.h"
#include "aggregator/store/spread/spread.h"

namespace hearsay::store::spread {

// Thread-safe but for the destructor.
class Lane {
 public:
  using Steady = std::chrono::steady_clock;

  // `row`: as just read. `map` and `options` must outlive the lane.
  Lane(const Member& member, MapRow row, KnownMap& map, const Options& options);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const std::string& server() const { return member_.keeper->server(); }
  const Member& member() const { return member_; }

  // Begins with the share. False if the database is still at an earlier one.
  bool start(std::shared_ptr<Share> share);
  // Waits for the share that was started at `begun`, as long as this database deserves. True if the outcomes are there.
  bool wait(const Share& share, Steady::time_point begun);

  // Why the database did not take its last reports; nothing if it did.
  std::optional<Error> trouble() const;

 private:
  void run();
  // Of a share: confirms its windows and appends what may be appended. `hindrance`: why not everything may, if the
  // operator should know.
  Result<void> work(Share& share, std::optional<Error>& hindrance);
  // Opens the windows up to `window`, or as many of them as the row lets it.
  Result<void> open(UnixSeconds window);
  // Whether the row at hand gives the report to this database.
  bool takes(const Submission& submission) const;

  const Member member_;
  KnownMap& map_;
  const Options& options_;
  MapRow row_;  // the thread's own

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Share> share_;  // at work, or to be begun
  std::optional<Error> trouble_;
  bool failed_ = false;  // the last share, or it was too late
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace hearsay::store::spread
