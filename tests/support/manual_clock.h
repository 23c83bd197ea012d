// A clock that moves only when a test moves it, or when the code under test waits.
#pragma once

#include <chrono>
#include <mutex>
#include <vector>

#include "hearsay/clock.h"

namespace hearsay::tests {

// wait() returns at once. wait() also moves the time on, unless the wait has already been cancelled. Thread-safe.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(UnixSeconds start) : time_(std::chrono::seconds(start)) {}

  UnixSeconds now() override {
    const std::lock_guard lock(mutex_);
    return static_cast<UnixSeconds>(std::chrono::duration_cast<std::chrono::seconds>(time_).count());
  }

  std::chrono::milliseconds steady() override {
    const std::lock_guard lock(mutex_);
    return steady_;
  }

  void wait(std::chrono::milliseconds duration, Cancellation& cancellation) override {
    if (cancellation.requested()) return;
    advance(duration);
    const std::lock_guard lock(mutex_);
    waits_.push_back(duration);
  }

  void advance(std::chrono::milliseconds duration) {
    const std::lock_guard lock(mutex_);
    time_ += duration;
    steady_ += duration;
  }

  // Sets the time of day, as a person may. Does not change steady().
  void set(UnixSeconds time) {
    const std::lock_guard lock(mutex_);
    time_ = std::chrono::seconds(time);
  }

  std::vector<std::chrono::milliseconds> waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  mutable std::mutex mutex_;
  std::chrono::milliseconds time_;  // since 1970
  std::chrono::milliseconds steady_{0};
  std::vector<std::chrono::milliseconds> waits_;
};

}  // namespace hearsay::tests
