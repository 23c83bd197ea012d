// Uses one database, on a thread of its own: opens windows in the map and appends reports.
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

// Thread-safe, except for the destructor.
class Lane {
 public:
  using Steady = std::chrono::steady_clock;

  // `row`: the database's row of the map, as check_map() read it. `map` and `options` must outlive the lane.
  Lane(const Member& member, MapRow row, KnownMap& map, const Options& options);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const std::string& server() const { return member_.keeper->server(); }
  const Member& member() const { return member_; }

  // Begins to work on the share. Returns false if the database still works on an earlier share.
  bool start(std::shared_ptr<Share> share);
  // Waits for the share that was started at `begun`: at most for Options::patience, and for less if the database failed
  // at the last share. Returns true if the outcomes are there.
  bool wait(const Share& share, Steady::time_point begun);

  // Returns why the database takes no reports. Returns nothing if the database took the last reports, or would take
  // them now.
  std::optional<Error> trouble() const;

 private:
  void run();
  // Opens the share's windows, and appends the reports that the database may take. Sets `hindrance` if the database may
  // not take some reports and the operator should know why.
  Result<void> work(Share& share, std::optional<Error>& hindrance);
  // Asks whether the database would take the last reports now.
  Result<void> look_again(std::optional<Error>& hindrance);
  // Calls open(). Sets `hindrance` if an unfinished change of the map keeps the window closed.
  Result<void> confirm(UnixSeconds window, std::optional<Error>& hindrance);
  // Opens the windows up to `window`, as far as the row allows.
  Result<void> open(UnixSeconds window);
  // Returns true if row_ assigns the report to this database and the report's window is open.
  bool takes(const Submission& submission) const;

  const Member member_;
  KnownMap& map_;
  const Options& options_;
  MapRow row_;                   // only thread_ uses row_ and last_window_
  UnixSeconds last_window_ = 0;  // the latest window of the last share

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Share> share_;  // the share that thread_ works on or will work on
  std::optional<Error> trouble_;
  bool failed_ = false;  // the last share failed or was late
  bool stopping_ = false;
  std::thread thread_;  // last member: the thread uses all other members
};

}  // namespace hearsay::store::spread
