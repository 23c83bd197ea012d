// Tells whether the machine's clock can be trusted. Irreversible steps, such as sealing windows, need a trusted clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "hearsay/clock.h"

namespace hearsay::daemon {

// Compares the wall clock with the monotonic clock. The difference of the two is called the course of the wall clock.
// The clock keeps its course if the difference changes by less than a minute; a slow drift of up to a tenth of the
// elapsed time is allowed. A clock that leaves its course is in doubt until the clock comes back to its course, or has
// kept a new course for the settling time.
//
// At the start, the course is unknown, and so is the time since an earlier daemon stopped. The clock is then in doubt
// if its time is a minute or more before the last trusted time, or later by at least the settling time (or by a minute,
// if this is longer).
//
// Thread-safe.
class ClockWatch {
 public:
  using Monotonic = std::chrono::steady_clock::time_point;

  // `trusted`: the last time at which an earlier daemon trusted the clock. Without `trusted`, the constructor trusts
  // `wall`. If `settling` is 0, every time is trusted.
  ClockWatch(std::chrono::seconds settling, std::optional<UnixSeconds> trusted, UnixSeconds wall, Monotonic monotonic);

  // Call this once a second. If the clock has left its course, returns the jump in seconds; a jump back is negative.
  std::optional<std::int64_t> follow(UnixSeconds wall, Monotonic monotonic);

  // Returns true if the time `wall`, which was read just now, must not be trusted. Also notices a jump that follow()
  // has not seen yet.
  bool in_doubt(UnixSeconds wall, Monotonic monotonic) const;

 private:
  using Milliseconds = std::chrono::milliseconds;

  // Returns the wall clock's time minus the monotonic clock's time.
  static Milliseconds offset_of(UnixSeconds wall, Monotonic monotonic);
  bool is_trusted(Milliseconds offset) const;
  void trust_course();

  const std::chrono::seconds settling_;
  mutable std::mutex mutex_;
  Milliseconds trusted_;  // the trusted course
  Milliseconds ahead_;    // how far the clock may be ahead of the trusted course; more than a minute only at the start
  Milliseconds course_;   // the present course
  Monotonic course_since_;
  Monotonic followed_;  // when follow() was last called
};

}  // namespace hearsay::daemon
