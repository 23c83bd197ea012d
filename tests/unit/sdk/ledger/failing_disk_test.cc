// Tests a ledger on a disk that fails at every operation in turn, is full, or loses power.
#include <filesystem>
#include <map>
#include <set>

#include "tests/support/failing_vfs.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

using hearsay::tests::FailingDisk;
using hearsay::tests::TemporaryDirectory;

struct History {
  std::uint8_t drawn = 0;                         // the number of reports; each report has bytes of its own
  std::set<ReportBytes> promised;                 // for these reports, pay() said that they are paid
  std::map<TaskId, std::set<ReportBytes>> shown;  // these reports may have left the device

  void pay(Ledger& ledger, const Task& task) {
    const ReportBytes bytes{++drawn};
    if (tests::pay(ledger, task, kDay, bytes) == "reported") promised.insert(bytes);
  }

  void flush(Ledger& ledger, const Task& task, bool settles) {
    const auto pending = ledger.outbox().pending(task.id(), kDay, 10);
    if (!pending) return;
    for (const PendingReport& report : *pending) {
      shown[task.id()].insert(report.bytes);
      if (settles) static_cast<void>(ledger.outbox().settle(report.number, ReportState::kDelivered, kDay, ""));
    }
  }
};

const std::vector<Task>& tasks() {
  static const std::vector<Task> made{task_of("a"), task_of("b"), task_of("c")};
  return made;
}

// If `ends_early`, the last report is sent but not settled. So no later operation syncs this report.
void live(const std::string& file, History& history, bool ends_early) {
  const auto ledger = Ledger::open(options_of(file, policy_of(kDay, "3")));
  if (!ledger) return;
  history.pay(**ledger, tasks()[0]);
  history.flush(**ledger, tasks()[0], true);
  history.pay(**ledger, tasks()[1]);
  history.flush(**ledger, tasks()[1], false);
  if (ends_early) return;
  history.flush(**ledger, tasks()[0], true);
  history.pay(**ledger, tasks()[0]);
  history.pay(**ledger, tasks()[2]);
}

// Checks that each task has at most one report, that no report has changed, and that no paid report is lost.
void check_after(const std::string& file, History& history) {
  const auto opened = Ledger::open(options_of(file, policy_of(kDay, "3")));
  REQUIRE_MESSAGE(opened, opened.error().message);
  std::set<ReportBytes> before;
  const auto found = opened.value()->outbox().log(10);
  REQUIRE_MESSAGE(found, found.error().message);
  for (const LoggedReport& report : *found) before.insert(report.bytes);
  for (const ReportBytes& bytes : history.promised) CHECK(before.count(bytes) == 1);
  for (const auto& [task, all] : history.shown) {
    for (const ReportBytes& bytes : all) CHECK(before.count(bytes) == 1);
  }
  for (const Task& task : tasks()) {
    history.pay(**opened, task);
    CHECK(tests::pay(**opened, task, kDay) == "already reported");
  }
  std::map<TaskId, std::set<ReportBytes>> reports;
  const auto log = opened.value()->outbox().log(10);
  REQUIRE(log->size() == 3);  // one report for each task
  for (const LoggedReport& report : *log) reports[report.task].insert(report.bytes);
  for (const Task& task : tasks()) {
    CHECK(reports[task.id()].size() == 1);
    for (const ReportBytes& bytes : history.shown[task.id()]) CHECK(reports[task.id()].count(bytes) == 1);
  }
}

class Start {
 public:
  explicit Start(bool is_new) {
    if (!is_new) REQUIRE(Ledger::open(options_of(made_ / "l", policy_of(kDay, "3"))));
  }
  void put_into(const std::filesystem::path& directory) const {
    if (std::filesystem::exists(made_ / "l")) std::filesystem::copy_file(made_ / "l", directory / "l");
  }

 private:
  TemporaryDirectory made_;
};

enum class Power { kStays, kLosesAll, kLosesSome };

std::uint64_t run(const Start& start, const FailingDisk::Failure& failure, Power power, bool ends_early = false) {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  start.put_into(directory.path());
  FailingDisk disk;
  disk.fail(failure);
  History history;
  live(file, history, ends_early);
  const std::uint64_t operations = disk.operations();
  disk.fail({});
  if (power == Power::kLosesAll) disk.lose_power(0);
  if (power == Power::kLosesSome) disk.lose_power(static_cast<unsigned>(failure.at));
  check_after(file, history);
  return operations;
}

void run_all(const Start& start) {
  const std::uint64_t operations = run(start, {}, Power::kStays);
  CHECK(operations > 20);
  for (std::uint64_t at = 1; at <= operations; ++at) {
    CAPTURE(at);
    for (const std::uint64_t times : {1, 2, 3}) run(start, {at, false, times}, Power::kLosesAll, true);
    for (const Power power : {Power::kStays, Power::kLosesAll, Power::kLosesSome}) {
      CAPTURE(static_cast<int>(power));
      run(start, {at, false, 1}, power);
      run(start, {at, false, UINT64_MAX}, power);  // as if the process had ended there
    }
    run(start, {at, true, UINT64_MAX}, Power::kStays);
    for (const std::uint64_t times : {2, 3, 4}) {
      run(start, {at, false, times}, Power::kStays);
    }
  }
}

TEST_CASE("every failure of the disk leaves each report with its debit") { run_all(Start(false)); }

TEST_CASE("after every failure of the disk while the ledger is made each report has its debit") {
  run_all(Start(true));
}

}  // namespace
}  // namespace hearsay::sdk::tests
