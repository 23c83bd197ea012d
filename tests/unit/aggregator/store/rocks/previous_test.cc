// Stores that the daemon of an earlier format wrote: today's code opens them with every report, and they go on.
#include <cstdlib>

#include "tests/support/golden.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::rocks::tests {
namespace {

constexpr std::uint64_t kReports = 40;
constexpr std::uint64_t kReportWindows = 2;

Task previous_task() {
  TaskSpec spec = make_task("previous", 2).spec();
  spec.task_duration = 200'000 * kPrecision;
  return *Task::create(spec);
}

TEST_CASE("a store that the previous format's daemon left, stopped or killed, opens with all its reports") {
  const Task task = previous_task();
  const std::vector<Report> reports = make_reports(task, 0, kReports, kReportWindows);
  const std::filesystem::path archives = hearsay::tests::tests_directory() / "unit/aggregator/store/rocks/previous";
  for (const std::string name : {"clean", "killed"}) {
    CAPTURE(name);
    const TemporaryDirectory dir;
    const std::string unpack =
        "tar -xzf '" + (archives / (name + ".tar.gz")).string() + "' -C '" + dir.path().string() + "'";
    REQUIRE(std::system(unpack.c_str()) == 0);
    const std::string path = dir / name;
    CHECK(verified_reports(*open_store(path, true)) == kReports);
    for (int start = 0; start < 2; ++start) {  // the first one rewrites the store
      const auto store = open_store(path);
      CHECK(verified_reports(*store) == kReports);
      CHECK(whole_tally(*store, task) == tally_of(task, reports));
      const auto again = append(*store, task, reports);
      REQUIRE(again);
      CHECK(*again == std::vector<AppendOutcome>(kReports, AppendOutcome::kReplayed));
    }
    const auto store = open_store(path);
    append_new(*store, task, make_reports(task, kReports, kReports + 10, kReportWindows));
    const auto stored = stored_reports(*store, task);
    for (const Report& report : reports) CHECK(stored.at(report.id) == report);
    CHECK(verified_reports(*store) == kReports + 10);
  }
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
