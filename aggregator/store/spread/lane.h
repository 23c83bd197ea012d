// Runs one database on a thread of its own: confirms windows and appends reports.
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

  // `row`: the database's row of the map, just read. `map` and `options` must outlive the lane.
  Lane(const Member& member, MapRow row, KnownMap& map, const Options& options);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const std::string& server() const { return member_.keeper->server(); }
  const Member& member() const { return member_; }

  // Begins to work on the share. Returns false if the database still works on an earlier share.
  bool start(std::shared_ptr<Share> share);
  // Waits for the share that was started at `begun`; shorter if the database failed the last time. Returns true if the
  // outcomes are there.
  bool wait(const Share& share, Steady::time_point begun);

  // Returns why the database did not take its last reports; nothing if it did, or if it would take them now.
  std::optional<Error> trouble() const;

 private:
  void run();
  // Confirms the share's windows, and appends the reports that may be appended. `hindrance`: why some may not, if the
  // operator should know.
  Result<void> work(Share& share, std::optional<Error>& hindrance);
  // Asks whether what hindered the last reports is over.
  Result<void> look_again(std::optional<Error>& hindrance);
  // Calls open(), and says what keeps the window from being opened.
  Result<void> confirm(UnixSeconds window, std::optional<Error>& hindrance);
  // Opens the windows up to `window`, or as many of them as the row allows.
  Result<void> open(UnixSeconds window);
  // Returns true if the present row gives the report to this database.
  bool takes(const Submission& submission) const;

  const Member member_;
  KnownMap& map_;
  const Options& options_;
  MapRow row_;                   // used by the thread only, like the next
  UnixSeconds last_window_ = 0;  // of the last reports

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Share> share_;  // being worked on, or waiting
  std::optional<Error> trouble_;
  bool failed_ = false;  // the last share failed or was late
  bool stopping_ = false;
  std::thread thread_;  // the last member, because it uses all others
};

}  // namespace hearsay::store::spread
