#include "aggregator/http/timer_wheel.h"

#include <doctest/doctest.h>

#include <functional>
#include <vector>

namespace hearsay::http {
namespace {

using std::chrono::milliseconds;
using Clock = TimerWheel::Clock;

struct Alarm final : TimerWheel::Entry {
  int rung = 0;
  std::function<void()> then;
  void on_deadline() override {
    ++rung;
    if (then) then();
  }
};

TEST_CASE("deadlines are met in time, moved or not, also beyond the wheel's horizon") {
  TimerWheel wheel(milliseconds(10));
  const Clock::time_point start = Clock::now();
  Alarm soon;
  Alarm later;
  Alarm far;
  Alarm never;
  Alarm moved_back;
  Alarm moved_up;
  wheel.set(soon, start + milliseconds(35));
  wheel.set(later, start + milliseconds(500));
  wheel.set(far, start + milliseconds(60'000));  // the wheel has 1024 ticks of 10 ms
  wheel.set(never, start + milliseconds(40));
  wheel.set(never, Clock::time_point::max());
  wheel.set(moved_back, start + milliseconds(30));
  wheel.set(moved_back, start + milliseconds(300));
  wheel.set(moved_up, start + milliseconds(60'000));
  wheel.set(moved_up, start + milliseconds(100));
  // An alarm rings not before its time and at most two ticks after it.
  const auto check = [](const Alarm& alarm, int due, int now) {
    CAPTURE(now);
    if (now < due) CHECK(alarm.rung == 0);
    if (now >= due + 20) CHECK(alarm.rung == 1);
  };
  for (int now = 0; now <= 61'000; now += 7) {
    wheel.advance(start + milliseconds(now));
    check(soon, 35, now);
    check(moved_up, 100, now);
    check(moved_back, 300, now);
    check(later, 500, now);
    check(far, 60'000, now);
  }
  CHECK(never.rung == 0);
}

TEST_CASE("alarms may set and remove themselves and others while they ring") {
  TimerWheel wheel(milliseconds(10));
  const Clock::time_point start = Clock::now();
  std::vector<Alarm> alarms(3);
  wheel.set(alarms[0], start + milliseconds(20));
  wheel.set(alarms[1], start + milliseconds(20));
  alarms[0].then = [&] {
    wheel.remove(alarms[1]);
    wheel.set(alarms[0], start + milliseconds(100));
    wheel.set(alarms[2], start + milliseconds(50));
  };
  wheel.advance(start + milliseconds(45));
  CHECK(alarms[0].rung == 1);
  CHECK(alarms[1].rung == 0);
  CHECK(alarms[2].rung == 0);
  alarms[0].then = nullptr;
  wheel.advance(start + milliseconds(90));
  CHECK(alarms[2].rung == 1);
  wheel.advance(start + milliseconds(130));
  CHECK(alarms[0].rung == 2);
  CHECK(alarms[1].rung == 0);
}

TEST_CASE("after a pause longer than the wheel everything that is due rings once, and what is not stays") {
  TimerWheel wheel(milliseconds(10));
  const Clock::time_point start = Clock::now();
  std::vector<Alarm> due(100);
  for (int i = 0; i < 100; ++i) wheel.set(due[static_cast<std::size_t>(i)], start + milliseconds(50 * i));
  Alarm later;
  wheel.set(later, start + milliseconds(200'000));
  wheel.advance(start + milliseconds(100'000));
  for (const Alarm& alarm : due) CHECK(alarm.rung == 1);
  CHECK(later.rung == 0);
  for (int now = 100'000; now < 200'000; now += 1000) wheel.advance(start + milliseconds(now));
  CHECK(later.rung == 0);
  wheel.advance(start + milliseconds(200'020));
  CHECK(later.rung == 1);
}

}  // namespace
}  // namespace hearsay::http
