// A clock that moves only when a test, or the code under test by sleeping, moves it.
#pragma once

#include <chrono>
#include <mutex>
#include <vector>

#include "hearsay/clock.h"

namespace hearsay::tests {

// Thread-safe. sleep() returns at once and moves the time on.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(UnixSeconds start) : time_(std::chrono::seconds(start)) {}

  UnixSeconds now() override {
    const std::lock_guard lock(mutex_);
    return static_cast<UnixSeconds>(std::chrono::duration_cast<std::chrono::seconds>(time_).count());
  }

  void sleep(std::chrono::milliseconds duration) override {
    const std::lock_guard lock(mutex_);
    time_ += duration;
    sleeps_.push_back(duration);
  }

  void advance(std::chrono::milliseconds duration) {
    const std::lock_guard lock(mutex_);
    time_ += duration;
  }

  // Every duration that was slept, in order.
  std::vector<std::chrono::milliseconds> sleeps() const {
    const std::lock_guard lock(mutex_);
    return sleeps_;
  }

 private:
  mutable std::mutex mutex_;
  std::chrono::milliseconds time_;  // since 1970
  std::vector<std::chrono::milliseconds> sleeps_;
};

}  // namespace hearsay::tests
