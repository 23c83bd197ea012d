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
  REQUIRE(ledger->outbox().settle(first, ReportState::kDropped, 10, "no"));  // is settled
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

}  // namespace
}  // namespace hearsay::sdk::tests
