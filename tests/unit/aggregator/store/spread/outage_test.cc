#include <chrono>
#include <functional>
#include <thread>

#include "tests/unit/aggregator/store/spread/spread_fixture.h"

namespace hearsay::store::spread::tests {
namespace {

constexpr std::uint64_t kSent = 200;

struct Outage {
  Outage() {
    databases.options.patience = std::chrono::milliseconds(300);
    databases.add_map(2);
    store = databases.open();
    REQUIRE(store->add_task(task));
    reports = make_reports(task, 0, kSent);
    share = static_cast<std::size_t>(std::count_if(reports.begin(), reports.end(), [](const Report& report) {
      return server_of({1, 0, {"s0", "s1"}}, report.id) == "s1";
    }));
  }
  std::vector<AppendOutcome> send() const {
    auto outcomes = append(*store, task, reports);
    REQUIRE(outcomes);
    return *outcomes;
  }
  std::vector<Report> reports_of(std::uint64_t window) const {
    std::vector<Report> more;
    for (std::uint64_t i = 1000; i < 1100; ++i) more.push_back(make_report(task, i, window));
    return more;
  }
  // Checks that every report is counted once, after all have been acknowledged.
  void check_whole() const {
    CHECK(whole_tally(*store, task).encode() == tally_of(task, reports).encode());
    CHECK(verified_reports(*store) == kSent);
  }

  Databases databases{2};
  const Task task = make_task();
  std::unique_ptr<Store> store;
  std::vector<Report> reports;
  std::size_t share = 0;
};

TEST_CASE_FIXTURE(Outage,
                  "while a database is down the reports for this database wait, and other reports are accepted") {
  databases.set_down(1, true);
  const auto first = send();
  CHECK(count_of(first, AppendOutcome::kUnavailable) == share);
  CHECK(count_of(first, AppendOutcome::kAccepted) == kSent - share);
  REQUIRE(store->statistics().unavailable.size() == 1);
  CHECK(store->statistics().unavailable.front() == "database 1: planted");
  CHECK(store->healthy());

  SUBCASE("also if a new window begins during the outage") {
    databases.clock.advance(std::chrono::hours(1));
    const auto later = append(*store, task, reports_of(6));
    REQUIRE(later);
    CHECK(count_of(*later, AppendOutcome::kAccepted) > 0);
    CHECK(count_of(*later, AppendOutcome::kUnavailable) > 0);
  }
  SUBCASE("and tallies are refused, although the other databases could answer") {
    const auto tally = store->tally(task, {});
    REQUIRE_FALSE(tally);
    CHECK(tally.error().code == ErrorCode::kStoreFailed);
    CHECK(tally.error().message == "database 1: planted");
    databases.set_down(1, false);
    const auto second = send();
    CHECK(count_of(second, AppendOutcome::kReplayed) == kSent - share);
    CHECK(count_of(second, AppendOutcome::kAccepted) == share);
    CHECK(store->statistics().unavailable.empty());
    check_whole();
  }
}

TEST_CASE_FIXTURE(Outage, "the store notices that a database is back, even if no report is for it") {
  const auto troubled = [&] { return !store->statistics().unavailable.empty(); };
  databases.set_down(1, true);
  send();
  const int before = databases.keepers[1]->updates;
  const auto deadline = std::chrono::steady_clock::now() + hearsay::tests::kPatience;
  while (databases.keepers[1]->updates < before + 2 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(databases.keepers[1]->updates >= before + 2);
  CHECK(troubled());  // the store has asked the database, which is still down
  databases.set_down(1, false);
  while (troubled() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK_FALSE(troubled());
  CHECK_FALSE(store->statistics().databases[1].failure);
}

TEST_CASE_FIXTURE(Outage, "a report that was stored but not acknowledged is counted once") {
  databases.stores[1]->loses_answers = true;
  CHECK(count_of(send(), AppendOutcome::kUnavailable) == share);
  databases.stores[1]->loses_answers = false;
  CHECK(count_of(send(), AppendOutcome::kReplayed) == kSent);
  check_whole();
}

TEST_CASE_FIXTURE(Outage, "a database that hangs delays the others once by the time limit, and later hardly") {
  using Clock = std::chrono::steady_clock;
  databases.stores[1]->hang(true);
  CHECK(count_of(send(), AppendOutcome::kUnavailable) == share);
  // Twenty batches that wait for the time limit would take 6 s.
  const auto begin = Clock::now();
  for (int i = 0; i < 20; ++i) CHECK(count_of(send(), AppendOutcome::kUnavailable) == share);
  CHECK(Clock::now() - begin < std::chrono::seconds(3));
  databases.stores[1]->hang(false);
  // The first batch may still be in progress.
  for (int i = 0; i < 100 && count_of(send(), AppendOutcome::kReplayed) != kSent; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  check_whole();
}

bool eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + hearsay::tests::kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

struct Sealing : Outage {
  Sealing() {
    REQUIRE(store->add_task(aging));
    append_new(*store, aging, make_reports(aging, 0, kSent));
  }
  bool sealed(std::size_t i) const { return databases.stores[i]->sealed(aging)->before != 0; }

  const Task aging = aging_task(600);
  const UnixSeconds over = kStart + kPrecision + 600;
};

TEST_CASE_FIXTURE(
    Sealing, "a failed database does not delay the upkeep of the others, and the results of the others are reported") {
  databases.options.patience = hearsay::tests::kPatience;
  store = databases.open();
  databases.set_down(0, true);
  const Expiry done = store->expire(over);
  CHECK(done.failure->message == "database 0: planted");
  CHECK(done.forgotten > 0);
  CHECK(sealed(1));
  databases.set_down(0, false);
  CHECK(done.forgotten + forget_expired(*store, over) == kSent);
}

TEST_CASE_FIXTURE(Sealing, "a database that takes long to seal has not failed, and a later call reports the result") {
  databases.stores[0]->hang(true);
  CHECK_FALSE(store->expire(over).failure);
  databases.stores[0]->down = true;
  databases.stores[0]->hang(false);
  std::optional<Error> failure;
  CHECK(eventually([&] {
    failure = store->expire(over).failure;
    return failure.has_value();
  }));
  CHECK(failure->message == "database 0: planted");
}

TEST_CASE_FIXTURE(Sealing, "a database that hangs delays no upkeep of the others, and its results are reported later") {
  databases.stores[0]->hang(true);  // the store asks this database first
  const auto begin = std::chrono::steady_clock::now();
  const Expiry done = store->expire(over);
  CHECK_FALSE(done.failure);
  for (int i = 0; i < 20; ++i) CHECK_FALSE(store->check_directory());
  // Calls that wait for the time limit would take more than 6 s.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(3));
  CHECK(databases.stores[1]->checks >= 10);
  CHECK(eventually([&] { return sealed(1); }));
  CHECK_FALSE(sealed(0));
  databases.stores[0]->hang(false);
  std::uint64_t forgotten = done.forgotten;
  CHECK(eventually([&] {
    forgotten += store->expire(over).forgotten;
    return forgotten == kSent;
  }));
  CHECK(eventually([&] { return static_cast<bool>(store->check_directory()); }));
}

TEST_CASE_FIXTURE(Outage, "a store can end while a database hangs, because it has copied what the append still needs") {
  databases.stores[1]->hang(true);
  CHECK(count_of(send(), AppendOutcome::kUnavailable) == share);
  reports.clear();  // from now on the store must not use the caller's reports
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    databases.stores[1]->hang(false);
  });
  store.reset();
  release.join();
  CHECK(whole_tally(*databases.stores[1], task).reports() == share);
}

TEST_CASE_FIXTURE(Outage, "a database that has lost its row of the map accepts no report") {
  send();
  databases.keepers[1]->clear();
  databases.clock.advance(std::chrono::hours(1));
  const auto outcomes = append(*store, task, reports_of(6));
  CHECK(count_of(*outcomes, AppendOutcome::kUnavailable) > 0);
  CHECK(count_of(*outcomes, AppendOutcome::kAccepted) > 0);
  CHECK(store->statistics().unavailable.front().find("lost") != std::string::npos);
  const auto opened = spread::open(databases.members(), databases.options);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message.find("database 1") != std::string::npos);
}

TEST_CASE_FIXTURE(Outage, "the store opens no window that is too far ahead of the databases' clock") {
  const std::uint64_t windows_ahead = 2;
  const auto outcomes = append(*store, task, {make_report(task, 1, 5 + windows_ahead)});
  CHECK(outcomes->front() == AppendOutcome::kUnavailable);
  for (const auto& keeper : databases.keepers) {
    CHECK(keeper->row().opened_before <= databases.clock.now() + databases.options.max_ahead);
  }
}

TEST_CASE_FIXTURE(Outage,
                  "to confirm that windows are open, the store needs one transaction a minute in each database") {
  const int before = databases.keepers[0]->updates;
  for (int i = 0; i < 10; ++i) send();
  CHECK(databases.keepers[0]->updates - before == 1);
}

}  // namespace
}  // namespace hearsay::store::spread::tests
