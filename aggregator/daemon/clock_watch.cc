#include "aggregator/daemon/clock_watch.h"

#include <algorithm>

namespace hearsay::daemon {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::minutes kTolerance{1};
constexpr UnixSeconds kLatest = UnixSeconds{1} << 40U;  // about 35,000 years; as milliseconds, it fits into 64 bits

}  // namespace

ClockWatch::Milliseconds ClockWatch::offset_of(UnixSeconds wall, Monotonic monotonic) {
  return std::chrono::seconds(std::min(wall, kLatest)) -
         std::chrono::duration_cast<milliseconds>(monotonic.time_since_epoch());
}

ClockWatch::ClockWatch(std::chrono::seconds settling, std::optional<UnixSeconds> trusted, UnixSeconds wall,
                       Monotonic monotonic)
    : settling_(settling),
      trusted_(offset_of(trusted.value_or(wall), monotonic)),
      ahead_(trusted ? std::max<milliseconds>(settling, kTolerance) : kTolerance),
      course_(offset_of(wall, monotonic)),
      course_since_(monotonic),
      followed_(monotonic) {
  if (is_trusted(course_)) trust_course();
}

void ClockWatch::trust_course() {
  trusted_ = course_;
  ahead_ = kTolerance;
}

bool ClockWatch::is_trusted(Milliseconds offset) const {
  return settling_ == std::chrono::seconds(0) || (offset > trusted_ - kTolerance && offset < trusted_ + ahead_);
}

std::optional<std::int64_t> ClockWatch::follow(UnixSeconds wall, Monotonic monotonic) {
  const std::lock_guard lock(mutex_);
  const milliseconds offset = offset_of(wall, monotonic);
  std::optional<std::int64_t> jump;
  const milliseconds left = offset - course_;
  if (std::chrono::abs(left) >= kTolerance) {
    jump = std::chrono::duration_cast<std::chrono::seconds>(left).count();
    course_ = offset;
    course_since_ = monotonic;
  } else {
    // The course follows small steps only slowly, so that many small steps in one direction add up to a jump.
    const auto drift = std::chrono::duration_cast<milliseconds>(monotonic - followed_) / 10;
    course_ += std::clamp(left, -drift, drift);
  }
  followed_ = monotonic;
  if (is_trusted(offset) || monotonic - course_since_ >= settling_) trust_course();
  return jump;
}

bool ClockWatch::in_doubt(UnixSeconds wall, Monotonic monotonic) const {
  const std::lock_guard lock(mutex_);
  return !is_trusted(offset_of(wall, monotonic));
}

}  // namespace hearsay::daemon
