#include "aggregator/daemon/clock_watch.h"

#include <doctest/doctest.h>

namespace hearsay::daemon {
namespace {

using std::chrono::seconds;

constexpr UnixSeconds kNow = 1'700'000'000;
constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kYear = 365 * 24 * kHour;

struct Watched {
  explicit Watched(std::optional<UnixSeconds> trusted = kNow, seconds settling = seconds(kHour), UnixSeconds now = kNow)
      : wall(now), watch(settling, trusted, now, monotonic) {}

  void jump(std::int64_t by) { wall += static_cast<UnixSeconds>(by); }
  // Lets `count` seconds pass. The wall clock runs at `rate` times the right speed.
  void pass(std::int64_t count, std::int64_t rate = 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      wall += static_cast<UnixSeconds>(rate);
      monotonic += seconds(1);
      watch.follow(wall, monotonic);
    }
  }
  bool in_doubt() const { return watch.in_doubt(wall, monotonic); }

  UnixSeconds wall;
  ClockWatch::Monotonic monotonic{};
  ClockWatch watch;
};

TEST_CASE("after a jump the clock is in doubt until the new time has lasted for the settling time") {
  for (const std::int64_t by : {std::int64_t{60}, kHour, kYear, -std::int64_t{60}, -kHour, -kYear}) {
    CAPTURE(by);
    Watched watched;
    watched.pass(100);
    CHECK_FALSE(watched.in_doubt());
    watched.jump(by);
    CHECK(watched.in_doubt());
    CHECK(watched.watch.follow(watched.wall, watched.monotonic) == by);
    watched.pass(kHour - 1);
    CHECK(watched.in_doubt());
    watched.pass(1);
    CHECK_FALSE(watched.in_doubt());
    watched.jump(-by);  // the return to the old time is a jump, too
    CHECK(watched.in_doubt());
  }
}

TEST_CASE("another jump restarts the settling time, but a clock that returns to its course is trusted at once") {
  Watched watched;
  watched.jump(kYear);
  watched.pass(kHour - 10);
  watched.jump(kHour);
  watched.pass(kHour - 10);
  CHECK(watched.in_doubt());
  watched.jump(-kHour - kYear);
  CHECK_FALSE(watched.in_doubt());
  watched.pass(10);
  CHECK_FALSE(watched.in_doubt());
}

TEST_CASE("a clock within a minute of its course is trusted, and so is a clock that drifts by a tenth") {
  Watched watched;
  for (const std::int64_t by : {59, -59, -59, 59}) {
    watched.jump(by);
    CHECK_FALSE(watched.in_doubt());
    watched.pass(1);
  }
  for (int i = 0; i < 1000; ++i) {
    watched.pass(9);
    watched.pass(1, 2);
    REQUIRE_FALSE(watched.in_doubt());
  }
}

TEST_CASE("small steps of the clock that add up count as a jump") {
  Watched watched;
  for (int i = 0; i < 5; ++i) {
    watched.jump(30);
    watched.pass(10);
  }
  CHECK(watched.in_doubt());
  Watched fast;
  fast.pass(100, 2);
  CHECK(fast.in_doubt());
}

TEST_CASE("at the start a clock far from the last trusted time is in doubt until its time has lasted") {
  for (const std::int64_t away : {std::int64_t{0}, std::int64_t{59}, kHour - 1, -std::int64_t{59}}) {
    CAPTURE(away);
    const Watched near(kNow - static_cast<UnixSeconds>(away));
    CHECK_FALSE(near.in_doubt());
  }
  for (const std::int64_t away : {kHour, kYear, -std::int64_t{60}, -kYear}) {
    CAPTURE(away);
    Watched far(kNow - static_cast<UnixSeconds>(away));
    CHECK(far.in_doubt());
    far.pass(kHour - 1);
    CHECK(far.in_doubt());
    far.pass(1);
    CHECK_FALSE(far.in_doubt());
  }
  CHECK_FALSE(Watched(std::nullopt).in_doubt());
  CHECK(Watched(0).in_doubt());
  CHECK(Watched(~UnixSeconds{0}).in_doubt());
}

TEST_CASE("a clock that is corrected after the start is trusted again, and later jumps are noticed") {
  // The clock is wrong by a year, and the daemon was away for five minutes.
  Watched watched(kNow, seconds(kHour), kNow + kYear);
  watched.pass(30);
  CHECK(watched.in_doubt());
  watched.jump(300 - kYear);
  CHECK_FALSE(watched.in_doubt());
  watched.pass(1);
  watched.jump(600);  // at the start this would count as time without the daemon
  CHECK(watched.in_doubt());
  Watched trusted;
  trusted.jump(600);
  CHECK(trusted.in_doubt());
}

TEST_CASE("without a settling time every clock is trusted") {
  Watched watched(0, seconds(0));
  CHECK_FALSE(watched.in_doubt());
  watched.jump(kYear);
  CHECK_FALSE(watched.in_doubt());
}

}  // namespace
}  // namespace hearsay::daemon
