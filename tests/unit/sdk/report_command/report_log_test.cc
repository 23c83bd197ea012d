#include "sdk/report_command/report_log.h"

#include <doctest/doctest.h>

#include "tests/support/tasks.h"

namespace hearsay::sdk {
namespace {

TEST_CASE("the log shows each report's time, task, epsilon, bytes and outcome") {
  const TaskId task = tests::small_task("b").id();
  const Epsilon epsilon = Epsilon::parse("1").value();
  const std::string text = describe_reports(
      {{3, task, "Habits", epsilon, 1'700'006'400, ReportState::kPending, {}, "", {0x84, 0x01}},
       {2, task, "", epsilon, 1'700'006'400, ReportState::kDelivered, 1'700'010'000, "", {0xff}},
       {1, task, "Habits", epsilon, 1'700'006'400, ReportState::kDropped, 1'700'010'000, "410 (task_closed)", {}}});
  for (const char* part :
       {"Report 3 of 2023-11-15 00:00:00 UTC", "\"Habits\"", "epsilon 1", "at most 2.72 times", "waits to be sent",
        "2 bytes", "8401", "a task without a title", "the aggregator has had it since 2023-11-15 01:00:00 UTC",
        "1 bytes", "given up 2023-11-15 01:00:00 UTC, and may have been sent before: 410 (task_closed)"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find(task.to_string()) != std::string::npos);
  CHECK(
      describe_reports({}) ==
      "Nothing waits to be sent. Nothing has left this device since the ledger was made or since the last opt-out.\n");
}

}  // namespace
}  // namespace hearsay::sdk
