#include "hearsay/unpaid_report.h"

#include <doctest/doctest.h>

#include <span>

#include "common/channel/channel.h"
#include "common/report/report.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kDay = 86'400;

Task yes_or_no() {
  return *Task::create({.title = "unpaid",
                        .schema = *Schema::create({*Attribute::boolean("a")}),
                        .arrangement = LiteralsSpec{},
                        .channel = LaplaceSpec{},
                        .epsilon = *Epsilon::parse("1"),
                        .task_start = 20'000 * kDay,
                        .task_duration = 10 * kDay,
                        .time_precision = kDay});
}

TEST_CASE("an unpaid report is one encoded report of the task, and two calls give different reports") {
  const Task task = yes_or_no();
  const Record record = *Record::create(task.schema(), {1});
  const auto bytes = make_unpaid_report(task, record, 20'003 * kDay + 77);
  REQUIRE(bytes);
  std::span<const std::uint8_t> rest = *bytes;
  const auto report = read_report(rest);
  REQUIRE(report);
  CHECK(rest.empty());
  CHECK(report->time == 20'003 * kDay);
  CHECK(report->payload.size() == task.channel().payload_size());
  CHECK(*make_unpaid_report(task, record, 20'003 * kDay + 77) != *bytes);  // their ids of 128 random bits differ
}

TEST_CASE("outside of the task's lifetime there is no unpaid report") {
  const Task task = yes_or_no();
  const Record record = *Record::create(task.schema(), {1});
  CHECK(make_unpaid_report(task, record, 20'000 * kDay - 1).error().code == ErrorCode::kReportTooEarly);
  CHECK(make_unpaid_report(task, record, task.end()).error().code == ErrorCode::kTaskExpired);
}

}  // namespace
}  // namespace hearsay
