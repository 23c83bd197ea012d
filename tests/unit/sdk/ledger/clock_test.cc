// Compares the device's clock with periods and with the server's time.
#include "sdk/ledger/database_ledger.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

TEST_CASE("if the clock differs from the server's time by more than a period, no report is made") {
  const auto ledger = memory_ledger(policy_of(kDay));
  const Task task = task_of("a");
  REQUIRE(ledger->note_server_time(100 * kDay + 5));
  CHECK(pay(*ledger, task, 101 * kDay + 6) == "clock_differs");
  CHECK(pay(*ledger, task, 99 * kDay + 4) == "clock_differs");
  CHECK(pay(*ledger, task, 0) == "clock_differs");
  CHECK(pay(*ledger, task, UINT64_MAX) == "clock_differs");
  CHECK(pay(*ledger, task, 101 * kDay + 5) == "reported");
  CHECK(pay(*ledger, task, 99 * kDay + 5) == "reported");
  CHECK(pay(*ledger, task, 100 * kDay) == "reported");
  REQUIRE(ledger->note_server_time(102 * kDay));  // the latest server's time counts
  CHECK(pay(*ledger, task_of("b"), 101 * kDay - 1) == "clock_differs");
  CHECK(pay(*ledger, task, 102 * kDay) == "reported");
  const auto error = ledger->pay(task, 0, makes({1}));
  REQUIRE(!error);
  CHECK(error.error().message.find(std::to_string(102 * kDay)) != std::string::npos);
}

TEST_CASE("a paid period is reported as paid whatever the server's clock says") {
  const auto ledger = memory_ledger(policy_of(kDay));
  REQUIRE(pay(*ledger, task_of("a"), 5 * kDay) == "reported");
  REQUIRE(ledger->note_server_time(100 * kDay));
  CHECK(pay(*ledger, task_of("a"), 5 * kDay) == "already reported");
  CHECK(pay(*ledger, task_of("b"), 5 * kDay) == "clock_differs");
}

TEST_CASE("without periods the clock does not matter") {
  const auto ledger = memory_ledger(policy_of(0));
  REQUIRE(ledger->note_server_time(100 * kDay));
  CHECK(pay(*ledger, task_of("a"), 500 * kDay) == "reported");
  CHECK(pay(*ledger, task_of("b"), UINT64_MAX) == "clock_differs");
  CHECK(outcome(ledger->note_server_time(UINT64_MAX)) == "invalid_argument");
}

TEST_CASE("a clock that jumps forward opens one period, and once the clock is right the person can report again") {
  const auto ledger = memory_ledger(policy_of(kDay, "1"));
  const Task task = task_of("a");
  REQUIRE(pay(*ledger, task, 10 * kDay) == "reported");
  CHECK(pay(*ledger, task, 500 * kDay) == "reported");
  CHECK(pay(*ledger, task_of("b"), 500 * kDay) == "budget_exhausted");  // the skipped periods give no budget
  CHECK(pay(*ledger, task, 11 * kDay) == "reported");
  CHECK(pay(*ledger, task, 500 * kDay) == "already reported");
}

TEST_CASE("a wrong clock does not make a report too old") {
  const auto ledger = memory_ledger(policy_of(600 * kDay));
  const Task task = task_of("a");
  REQUIRE(pay(*ledger, task, 10 * kDay) == "reported");
  CHECK(waiting(*ledger, task, 500 * kDay).size() == 1);  // the ledger has not heard a server's time
  CHECK(pay(*ledger, task_of("b"), 500 * kDay) == "reported");
  CHECK(waiting(*ledger, task, 500 * kDay).size() == 1);
  REQUIRE(ledger->note_server_time(10 * kDay));
  CHECK(waiting(*ledger, task, 500 * kDay).size() == 1);
  REQUIRE(ledger->note_server_time(500 * kDay));
  CHECK(waiting(*ledger, task, 500 * kDay).empty());
}

// The oldest accounts are closed first. A closed account counts as spent.
TEST_CASE("closed accounts pay for nothing") {
  const auto ledger = ledger_in_memory(policy_of(kDay), {}, {.open = 3, .payments = 5, .runs = 4}).value();
  for (std::uint64_t day = 10; day < 20; ++day) REQUIRE(pay(*ledger, task_of("a"), day * kDay) == "reported");
  for (std::uint64_t day = 10; day < 17; ++day) {
    CHECK(pay(*ledger, task_of("a"), day * kDay) == "budget_exhausted");
    CHECK(pay(*ledger, task_of("b"), day * kDay) == "budget_exhausted");
  }
  CHECK(pay(*ledger, task_of("a"), 17 * kDay) == "already reported");
  CHECK(pay(*ledger, task_of("a"), 9 * kDay) == "reported");  // the account of day 9 has not paid yet
}

TEST_CASE("an account has room for a limited number of tasks, and the ledger closes older accounts to make room") {
  const auto ledger = ledger_in_memory(policy_of(kDay), {}, {.open = 3, .payments = 5, .runs = 4}).value();
  for (const std::uint64_t day : {1, 2, 3}) REQUIRE(pay(*ledger, task_of("a"), day * kDay) == "reported");
  for (const char* title : {"b", "c", "d", "e"}) CHECK(pay(*ledger, task_of(title), 3 * kDay) == "reported");
  CHECK(pay(*ledger, task_of("f"), 3 * kDay) == "limit_exceeded");
  CHECK(pay(*ledger, task_of("a"), 2 * kDay) == "budget_exhausted");
  CHECK(pay(*ledger, task_of("f"), 4 * kDay) == "reported");
}

TEST_CASE("after many clock jumps the ledger needs a server's time") {
  const auto ledger = ledger_in_memory(policy_of(kDay), {}, {.open = 2, .payments = 5, .runs = 4}).value();
  const Task task = task_of("a");
  std::uint64_t day = 1'000;
  // Without a server's time the ledger remembers two open accounts and two runs of closed accounts.
  for (int jump = 0; jump < 4; ++jump, day += 10) REQUIRE(pay(*ledger, task, day * kDay) == "reported");
  CHECK(pay(*ledger, task, day * kDay) == "clock_differs");
  CHECK(pay(*ledger, task, 100 * kDay) == "clock_differs");
  REQUIRE(ledger->note_server_time(100 * kDay));
  for (day = 100; day < 150; day += 2) {
    REQUIRE(ledger->note_server_time(day * kDay));
    CHECK(pay(*ledger, task, day * kDay) == "reported");
  }
}

}  // namespace
}  // namespace hearsay::sdk::tests
