// Whether the machine's clock can be trusted with what cannot be undone.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "hearsay/clock.h"

namespace hearsay::daemon {

// Compares the wall clock with the monotonic one. A wall clock that leaves the course that it had is in doubt until it
// has come back or has kept its new course for the settling time. A course is kept if the wall clock stays within a
// minute of the monotonic one; it may drift by a tenth.
//
// At the start the course is unknown, and how long the daemon was away too. The clock is then in doubt if it is before
// the time at which it was last trusted, or ahead of that by more than the settling time.
//
// Thread-safe.
class ClockWatch {
 public:
  using Monotonic = std::chrono::steady_clock::time_point;

  // `trusted` is when the clock was last trusted in an earlier life. Without it, `wall` is trusted. A `settling` of 0
  // trusts every time.
  ClockWatch(std::chrono::seconds settling, std::optional<UnixSeconds> trusted, UnixSeconds wall, Monotonic monotonic);

  // Follows the clock. Call this once a second. Returns by how many seconds the clock left its last course, if it did.
  std::optional<std::int64_t> follow(UnixSeconds wall, Monotonic monotonic);

  // Whether the time `wall`, read just now, is not to be trusted. Sees a jump before follow() does.
  bool in_doubt(UnixSeconds wall, Monotonic monotonic) const;

 private:
  using Milliseconds = std::chrono::milliseconds;

  // What the wall clock shows, on the monotonic clock's scale.
  static Milliseconds offset_of(UnixSeconds wall, Monotonic monotonic);
  bool is_trusted(Milliseconds offset) const;
  void trust_course();

  const std::chrono::seconds settling_;
  mutable std::mutex mutex_;
  Milliseconds trusted_;  // offset of the course that is trusted
  Milliseconds ahead_;    // how far the clock may be ahead of it: more than a minute only at the start
  Milliseconds course_;   // offset of the present course
  Monotonic course_since_;
  Monotonic followed_;  // when follow() was last called
};

}  // namespace hearsay::daemon
