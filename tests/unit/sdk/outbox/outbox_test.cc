#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_directory.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

TEST_CASE("a task's reports wait in order until they are settled") {
  const auto ledger = memory_ledger(policy_of(1));
  const Task task = task_of("a");
  REQUIRE(pay(*ledger, task, 1, {1}) == "reported");
  REQUIRE(pay(*ledger, task, 2, {2, 2}) == "reported");
  REQUIRE(pay(*ledger, task_of("b"), 1, {3}) == "reported");
  CHECK(waiting(*ledger, task) == std::vector<ReportBytes>{{1}, {2, 2}});
  CHECK(waiting(*ledger, task, 1, 1) == std::vector<ReportBytes>{{1}});
  const auto first = ledger->outbox().pending(task.id(), 1, 1).value().front().number;
  REQUIRE(ledger->outbox().settle(first, ReportState::kDelivered, 9, ""));
  CHECK(waiting(*ledger, task) == std::vector<ReportBytes>{{2, 2}});
  REQUIRE(ledger->outbox().settle(first, ReportState::kDropped, 10, "no"));  // already settled
  REQUIRE(ledger->outbox().settle(first + 100, ReportState::kDropped, 10, "no"));
  const auto log = ledger->outbox().log(10).value();
  REQUIRE(log.size() == 3);
  CHECK(log[2].state == ReportState::kDelivered);
  CHECK(log[2].settled == 9);
  CHECK(log[2].title == "a");
  CHECK(log[2].epsilon == task.epsilon());
  CHECK(log[2].bytes == ReportBytes{1});
  CHECK(log[0].task == task_of("b").id());
  CHECK(!ledger->outbox().settle(first, ReportState::kPending, 10, ""));
}

TEST_CASE("one call settles many reports, or none of them") {
  const auto ledger = memory_ledger(policy_of(1));
  for (UnixSeconds now = 1; now <= 3; ++now) REQUIRE(pay(*ledger, task_of("a"), now) == "reported");
  Outbox& outbox = ledger->outbox();
  std::vector<Settlement> settled{{1, ReportState::kDelivered, ""},
                                  {7, ReportState::kDelivered, ""},
                                  {3, ReportState::kDropped, "no"},
                                  {2, ReportState::kPending, ""}};
  CHECK(outcome(outbox.settle(settled, 9)) == "invalid_argument");
  CHECK(waiting(*ledger, task_of("a")).size() == 3);
  settled.pop_back();
  CHECK(outcome(outbox.settle(settled, 9)) == "ok");
  const auto log = outbox.log(9).value();
  REQUIRE(log.size() == 3);
  CHECK(log[0].state == ReportState::kDropped);
  CHECK(log[0].reason == "no");
  CHECK(log[1].state == ReportState::kPending);
  CHECK(log[2].state == ReportState::kDelivered);
}

TEST_CASE("a full outbox refuses a report before anything is paid") {
  const auto ledger = memory_ledger(policy_of(0), {.max_reports = 2, .max_bytes = 10});
  REQUIRE(pay(*ledger, task_of("a"), 1, ReportBytes(4)) == "reported");
  CHECK(pay(*ledger, task_of("b"), 1, ReportBytes(7)) == "limit_exceeded");
  CHECK(pay(*ledger, task_of("b"), 1, ReportBytes(6)) == "reported");  // nothing was paid for the refused report
  bool looked = false;
  const auto third = ledger->pay(task_of("c"), 1, [&]() -> Result<ReportBytes> {
    looked = true;
    return ReportBytes{};
  });
  CHECK(outcome(third) == "limit_exceeded");
  CHECK(!looked);
  REQUIRE(ledger->outbox().settle(1, ReportState::kDelivered, 1, ""));
  CHECK(pay(*ledger, task_of("c"), 1, ReportBytes(4)) == "reported");
}

TEST_CASE("the outbox gives up a report that has waited too long") {
  const auto ledger = memory_ledger(policy_of(0), {.max_reports = 1, .max_age = std::chrono::seconds(100)});
  REQUIRE(ledger->note_server_time(1'000));
  REQUIRE(pay(*ledger, task_of("a"), 1'000) == "reported");
  CHECK(waiting(*ledger, task_of("a"), 1'100).size() == 1);
  CHECK(pay(*ledger, task_of("b"), 1'100) == "limit_exceeded");
  CHECK(pay(*ledger, task_of("b"), 1'101) == "reported");
  CHECK(waiting(*ledger, task_of("a"), 1'000).empty());
  CHECK(waiting(*ledger, task_of("b"), 1'202).empty());
  const auto log = ledger->outbox().log(9).value();
  REQUIRE(log.size() == 2);
  for (const LoggedReport& report : log) {
    CHECK(report.state == ReportState::kDropped);
    CHECK(report.reason == "waited for too long");
  }
}

TEST_CASE("the log keeps the newest settled reports, up to a number of reports and of bytes") {
  const auto ledger = memory_ledger(policy_of(1), {.max_bytes = 30, .max_logged = 3});
  const auto numbers = [&] {
    std::vector<std::int64_t> found;
    const auto log = ledger->outbox().log(100);
    for (const LoggedReport& report : *log) found.push_back(report.number);
    return found;
  };
  for (std::uint64_t time = 1; time <= 5; ++time) {
    REQUIRE(pay(*ledger, task_of("a"), time, ReportBytes(5)) == "reported");
    if (time != 1) REQUIRE(ledger->outbox().settle(static_cast<std::int64_t>(time), ReportState::kDropped, 9, "no"));
  }
  CHECK(numbers() ==
        std::vector<std::int64_t>{5, 4, 3, 1});  // the second report has left the log, and the first still waits
  for (std::uint64_t time = 6; time <= 7; ++time) {
    REQUIRE(pay(*ledger, task_of("a"), time, ReportBytes(14)) == "reported");
    REQUIRE(ledger->outbox().settle(static_cast<std::int64_t>(time), ReportState::kDelivered, 9, ""));
  }
  CHECK(numbers() == std::vector<std::int64_t>{7, 6, 1});
}

TEST_CASE("a long reason is cut between characters") {
  const auto ledger = memory_ledger(policy_of(0));
  REQUIRE(pay(*ledger, task_of("a"), 1) == "reported");
  std::string reason = "x";
  for (int i = 0; i < 400; ++i) reason += "é";
  REQUIRE(ledger->outbox().settle(1, ReportState::kDropped, 1, reason));
  const auto log = ledger->outbox().log(1);
  CHECK(log->front().reason == reason.substr(0, 499));
}

TEST_CASE("after a report has left the log, its bytes are not in the files") {
  const hearsay::tests::TemporaryDirectory directory;
  LedgerOptions options = options_of(directory / "l", policy_of(0));
  options.outbox.max_logged = 0;
  const auto ledger = Ledger::open(options).value();
  const std::string pattern = "a pattern that is nowhere else";
  const auto holds = [&](const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    return content.find(pattern) != std::string::npos;
  };
  for (const char* title : {"small", "large"}) {
    ReportBytes bytes(pattern.begin(), pattern.end());
    if (title == std::string("large")) bytes.insert(bytes.begin(), 9'000, 0);
    REQUIRE(pay(*ledger, task_of(title), 1, bytes) == "reported");
    CHECK(holds(options.file));
    const auto log = ledger->outbox().log(1);
    REQUIRE(ledger->outbox().settle(log->front().number, ReportState::kDelivered, 1, ""));
    CHECK(!holds(options.file));
    CHECK(!holds(options.file + "-journal"));
  }
}

}  // namespace
}  // namespace hearsay::sdk::tests
