#include "aggregator/daemon/caretaker.h"

#include <doctest/doctest.h>

#include <sstream>
#include <utility>
#include <vector>

namespace hearsay::daemon {
namespace {

using std::chrono::seconds;

struct CaretakerFixture {
  std::ostringstream out;
  Log log{LogLevel::kInfo, &out};
  std::optional<Error> failure;
  std::uint64_t overloads = 5;
  std::uint64_t exhaustions = 0;
  std::vector<UnixSeconds> expiries;
  store::Expiry expiry{3};
  std::uint64_t ahead = 0;
  std::vector<UnixSeconds> notes;
  bool tasks_changed = false;
  int refreshes = 0;
  std::vector<store::DatabaseState> databases;
  UnixSeconds wall = 1'700'000'000;
  Caretaker::Monotonic monotonic{};
  ClockWatch clock{seconds(150), wall, wall, monotonic};
  Caretaker caretaker{
      log,
      clock,
      {[this] { return failure; }, [this] { return overloads; }, [this] { return exhaustions; },
       [this](UnixSeconds now) {
         expiries.push_back(now);
         return expiry;
       },
       [this](UnixSeconds) { return ahead; }, [this](UnixSeconds now) { notes.push_back(now); },
       [this] { return std::exchange(tasks_changed, false); }, [this] { ++refreshes; }, [this] { return databases; }},
      seconds(100),
      monotonic};

  void pass(int count) {
    for (int i = 0; i < count; ++i) {
      wall += 1;
      monotonic += seconds(1);
      caretaker.tick(wall, monotonic);
    }
  }

  std::vector<Json> events() {
    std::vector<Json> lines;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) lines.push_back(parse_json(line).value());
    out.str("");
    return lines;
  }
  std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const Json& event : events()) result.push_back(event.at("event"));
    return result;
  }
};

using Names = std::vector<std::string>;

TEST_CASE_FIXTURE(CaretakerFixture, "a failing store is reported once, with the reason, and expiry pauses") {
  pass(10);
  CHECK(names().empty());
  failure = Error{ErrorCode::kStoreFailed, "no space"};
  pass(200);
  const auto told = events();
  REQUIRE(told.size() == 1);
  CHECK(told[0].at("event") == "store_failed");
  CHECK(told[0].at("level") == "error");
  CHECK(told[0].at("error") == "store_failed");
  CHECK(told[0].at("reason") == "no space");
  CHECK(expiries.empty());
}

TEST_CASE_FIXTURE(CaretakerFixture, "a damaged store is reported, and expiry goes on") {
  failure = Error{ErrorCode::kStoreCorrupt, "a row cannot be read"};
  pass(200);
  CHECK(names() == Names{"store_failed", "expired", "expired"});
  CHECK(expiries.size() == 2);
}

TEST_CASE_FIXTURE(CaretakerFixture, "the recovery of a store is reported once, and expiry goes on") {
  failure = Error{ErrorCode::kStoreFailed, "the database is down"};
  pass(10);
  failure.reset();
  pass(100);
  CHECK(names() == Names{"store_failed", "store_recovered", "expired"});
  failure = Error{ErrorCode::kStoreFailed, "the database is down"};
  pass(10);
  CHECK(names() == Names{"store_failed"});
}

TEST_CASE_FIXTURE(CaretakerFixture,
                  "while the store works, the daemon reads tasks again when they change, and every five seconds") {
  pass(1);
  CHECK(refreshes == 1);
  pass(4);
  CHECK(refreshes == 1);
  pass(1);
  CHECK(refreshes == 2);
  tasks_changed = true;
  pass(1);
  CHECK(refreshes == 3);
  pass(4);
  CHECK(refreshes == 3);
  failure = Error{ErrorCode::kStoreFailed, "the database is down"};
  pass(60);
  CHECK(refreshes == 3);
}

TEST_CASE_FIXTURE(
    CaretakerFixture,
    "an overload is reported once, and after ten quiet seconds its end is reported with the number of refusals") {
  pass(1);
  for (int i = 0; i < 5; ++i) {
    overloads += 10;
    pass(9);  // nine quiet seconds do not end the overload
  }
  CHECK(names() == Names{"overload_begins"});
  pass(1);
  CHECK(names().empty());
  pass(1);
  const auto told = events();
  REQUIRE(told.size() == 1);
  CHECK(told[0].at("event") == "overload_ends");
  CHECK(told[0].at("refused") == 50);
  ++overloads;
  pass(1);
  CHECK(names() == Names{"overload_begins"});
}

TEST_CASE_FIXTURE(CaretakerFixture,
                  "a lack of file descriptors is logged at most once a minute, with the number of times") {
  exhaustions = 4;
  pass(1);
  auto told = events();
  REQUIRE(told.size() == 1);
  CHECK(told[0].at("event") == "descriptors_exhausted");
  CHECK(told[0].at("times") == 4);
  exhaustions = 9;
  pass(59);
  CHECK(names().empty());
  pass(1);
  told = events();
  REQUIRE(told.size() == 1);
  CHECK(told[0].at("times") == 5);
}

TEST_CASE_FIXTURE(CaretakerFixture, "expiry runs once an interval, with the wall clock's time") {
  const UnixSeconds start = wall;
  pass(99);
  CHECK(expiries.empty());
  pass(101);
  CHECK(expiries == std::vector<UnixSeconds>{start + 100, start + 200});
  const auto told = events();
  REQUIRE(told.size() == 2);
  CHECK(told[0].at("event") == "expired");
  CHECK(told[0].at("reports") == 3);
  expiry = {};
  pass(100);
  CHECK(names().empty());  // an expiry without effect is logged at the level debug only
  expiry.failure = Error{ErrorCode::kStoreFailed, "no"};
  pass(100);
  CHECK(names() == Names{"expiry_failed"});
  expiry.forgotten = 5;  // these reports expired before the failure
  pass(100);
  const auto both = events();
  REQUIRE(both.size() == 2);
  CHECK(both[0].at("reports") == 5);
  CHECK(both[1].at("detail") == "no");
  CHECK(expiries.size() == 5);
}

TEST_CASE_FIXTURE(CaretakerFixture,
                  "a jump of the clock is reported, and until the new time has lasted nothing expires and no time is "
                  "noted as trusted") {
  for (const std::int64_t jump : {std::int64_t{60}, std::int64_t{3600}, std::int64_t{365 * 86'400},
                                  std::int64_t{-365 * 86'400}, std::int64_t{-60}}) {
    CAPTURE(jump);
    pass(1);
    expiries.clear();
    notes.clear();
    events();
    wall += static_cast<UnixSeconds>(jump);
    pass(1);
    const auto told = events();
    REQUIRE(told.size() == 2);
    CHECK(told[0].at("event") == "clock_jumped");
    CHECK(told[0].at("seconds") == jump);
    CHECK(told[1].at("event") == "clock_in_doubt");
    pass(149);
    CHECK(expiries.empty());
    CHECK(notes.empty());
    CHECK(names().empty());
    pass(1);
    CHECK(notes == std::vector<UnixSeconds>{wall});
    CHECK(expiries == std::vector<UnixSeconds>{wall});
    CHECK(names() == Names{"clock_trusted", "expired"});
  }
}

TEST_CASE_FIXTURE(CaretakerFixture, "a clock that is corrected is trusted at once, and until then no window expires") {
  pass(90);
  wall += 365 * 86'400;
  pass(149);
  CHECK(expiries.empty());
  wall -= 365 * 86'400;
  pass(1);
  CHECK(names() == Names{"clock_jumped", "clock_in_doubt", "clock_jumped", "clock_trusted", "expired"});
  CHECK(expiries == std::vector<UnixSeconds>{wall});
}

TEST_CASE_FIXTURE(CaretakerFixture,
                  "the trusted time is stored at once, and then once a minute while the store works") {
  const UnixSeconds start = wall;
  pass(130);
  CHECK(notes == std::vector<UnixSeconds>{start + 1, start + 61, start + 121});
  failure = Error{ErrorCode::kStoreFailed, "no space"};
  pass(100);
  CHECK(notes.size() == 3);
}

TEST_CASE_FIXTURE(CaretakerFixture, "windows that are sealed ahead of the clock are reported once") {
  pass(1);
  ahead = 7200;
  pass(30);
  const auto told = events();
  REQUIRE(told.size() == 1);
  CHECK(told[0].at("event") == "windows_sealed_ahead");
  CHECK(told[0].at("level") == "error");
  CHECK(told[0].at("seconds") == 7200);
  ahead = 0;
  pass(1);
  ahead = 1;
  pass(1);
  CHECK(names() == Names{"windows_sealed_ahead"});
}

TEST_CASE_FIXTURE(CaretakerFixture,
                  "each failure or recovery of a database is reported once, with the name of the database") {
  databases = {{"one", {}}, {"two", {}}};
  pass(3);
  CHECK(names().empty());
  databases[1].failure = Error{ErrorCode::kInUse, "shut out"};
  pass(3);
  const auto failed = events();
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].at("event") == "database_failed");
  CHECK(failed[0].at("database") == "two");
  CHECK(failed[0].at("error") == "in_use");
  CHECK(failed[0].at("reason") == "shut out");
  databases[0].failure = Error{ErrorCode::kStoreFailed, "down"};
  databases[1].failure.reset();
  pass(3);
  CHECK(names() == Names{"database_failed", "database_recovered"});
}

TEST_CASE_FIXTURE(CaretakerFixture, "a failure after the last tick is still reported, and only once") {
  pass(1);
  failure = Error{ErrorCode::kStoreFailed, "no space"};
  caretaker.watch_store();
  caretaker.watch_store();
  CHECK(names() == Names{"store_failed"});
}

TEST_CASE_FIXTURE(CaretakerFixture, "small corrections of a clock are not jumps") {
  for (int i = 0; i < 100; ++i) {
    wall += i % 2 == 0 ? 59 : -59;
    pass(1);
  }
  CHECK(names() == Names{"expired"});
}

}  // namespace
}  // namespace hearsay::daemon
