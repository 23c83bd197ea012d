#include "aggregator/api/times.h"

#include <doctest/doctest.h>

#include "tests/support/tasks.h"

namespace hearsay::api {
namespace {

using tests::kDay;
using tests::kTaskStart;

std::string refusal(const Result<void>& result) {
  if (result) return "";
  CHECK(result.error().code == ErrorCode::kInvalidArgument);
  return result.error().message;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("a range without a possible window of the task is refused, and the refusal says why") {
  const Task task = tests::small_task("b", "1", 10);
  const auto checked = [&](store::WindowRange range) { return refusal(check_range(task, range)); };
  CHECK(checked({}) == "");
  CHECK(checked({.from = kTaskStart + kDay, .to = kTaskStart + 2 * kDay}) == "");
  CHECK(checked({.from = task.end() - kDay}) == "");
  CHECK(checked({.from = 0, .to = kTaskStart + kDay}) == "");
  CHECK(checked({.from = kTaskStart - kDay, .to = task.end() + 400 * kDay}) == "");

  CHECK(checked({.from = 3 * kDay, .to = 2 * kDay}) == "`from` (259200) must be before `to` (172800)");
  CHECK(contains(checked({.from = kTaskStart, .to = kTaskStart}), "must be before"));
  CHECK(contains(checked({.from = kTaskStart * 1000}), "`from` is 1700006400000, which looks like milliseconds"));
  CHECK(contains(checked({.from = kTaskStart, .to = kTaskStart * 1000}), "`to` is 1700006400000, which looks like"));
  const std::string runs =
      "lies outside the task, which runs from " + std::to_string(kTaskStart) + " to " + std::to_string(task.end());
  CHECK(contains(checked({.from = task.end()}), runs));
  CHECK(contains(checked({.to = kTaskStart}), runs));
}

TEST_CASE("a new task that can accept no report is refused, and a new task with unlikely times gets a warning") {
  const Task task = tests::small_task("b", "1", 10);
  const auto with = [&](UnixSeconds start, std::uint64_t duration, std::uint64_t expiry_age = 0) {
    TaskSpec spec = task.spec();
    spec.task_start = start;
    spec.task_duration = duration;
    spec.report_expiry_age = expiry_age;
    return check_times_of_new(Task::create(spec).value(), kTaskStart);
  };
  CHECK(with(kTaskStart, 10 * kDay)->empty());
  CHECK(with(kTaskStart - 5 * 365 * kDay, 6 * 365 * kDay)->empty());
  CHECK(with(kTaskStart + 365 * kDay, 9 * 365 * kDay, 365 * kDay)->empty());

  const auto over = with(kTaskStart - kDay, kDay);
  REQUIRE_FALSE(over);
  CHECK(over.error().code == ErrorCode::kInvalidTask);
  CHECK(contains(over.error().message, "the task is over"));
  const auto milliseconds = with(kTaskStart * 1000, 10 * kDay);
  REQUIRE_FALSE(milliseconds);
  CHECK(milliseconds.error().code == ErrorCode::kInvalidTask);
  CHECK(contains(milliseconds.error().message, "task_start is 1700006400000, which looks like milliseconds"));

  CHECK(contains(with(kTaskStart + 400 * kDay, kDay)->front(), "task_start is 400 days ahead"));
  CHECK(contains(with(kTaskStart, 90 * kDay * 1000)->front(), "task_duration is 7776000000 seconds, 246 years"));
  CHECK(contains(with(kTaskStart, kDay, 30 * kDay * 1000)->front(), "report_expiry_age is 2592000000 seconds"));
}

}  // namespace
}  // namespace hearsay::api
