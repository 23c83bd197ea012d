#include <cmath>

#include "tests/unit/aggregator/store/postgres/postgres_fixture.h"

namespace hearsay::store::postgres::tests {
namespace {

TEST_CASE("a store whose windows cannot be counted in time opens, and reports its tasks and the earlier counts") {
  TestDatabase database;
  const Task task = make_task();
  const auto writer = database.open("writer");
  REQUIRE(writer->add_task(task));
  append_new(*writer, task, {make_report(task, 1)});
  Options options = database.options("before");
  options.observes = true;
  options.max_silence = std::chrono::seconds(4);  // half of this time is for counting
  const auto before = database.open(options);
  CHECK(before->counts(task).reports == 1);

  const auto locked = std::chrono::steady_clock::now();
  auto counting = database.session("BEGIN; LOCK TABLE hearsay.windows IN ACCESS EXCLUSIVE MODE");
  REQUIRE(writer->add_task(make_task("second")));
  options.instance = "after";
  const auto after = database.open(options);
  CHECK(after->statistics().tasks == 2);
  CHECK(after->counts(task).reports == 0);
  CHECK(std::isinf(after->statistics().databases.front().statistics_age_seconds));  // so far no count has succeeded
  // A count may run for 2 s, and a twentieth of the time may be spent on counting. The store still reads the tasks
  // each second.
  for (std::size_t tasks = 3; tasks <= 4; ++tasks) {
    const auto added = std::chrono::steady_clock::now();
    REQUIRE(writer->add_task(make_task("number " + std::to_string(tasks))));
    while (after->statistics().tasks != tasks) {
      if (std::chrono::steady_clock::now() - added > std::chrono::seconds(20)) FAIL("a task does not show");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    std::this_thread::sleep_for(std::chrono::seconds(2));  // meanwhile a count fails
  }
  while (before->statistics().tasks != 4) {
    if (std::chrono::steady_clock::now() - locked > hearsay::tests::kPatience) FAIL("the tasks do not show");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  CHECK(before->counts(task).reports == 1);
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - locked;
  const StoreStatistics statistics = before->statistics();
  CHECK(statistics.reports == 1);
  CHECK(statistics.databases.front().statistics_age_seconds >= since.count());
  REQUIRE(counting->execute("COMMIT"));
}

}  // namespace
}  // namespace hearsay::store::postgres::tests
