#include "aggregator/cli/rehearsal.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "aggregator/cli/rehearsal_report.h"
#include "aggregator/cli/rehearsal_task.h"
#include "common/base/strict_json.h"
#include "hearsay/clock.h"
#include "tests/support/planned_tasks.h"
#include "tests/support/sampled_cases.h"
#include "tests/support/small_domains.h"

namespace hearsay::cli {
namespace {

Task planned() {
  return tests::task_over("b r5", "4", CharactersSpec{2}, tests::groups_of({{GroupKind::kSingle, 1, 1}}));
}

Windows people(const Task& task, std::size_t windows, std::size_t each) {
  Windows result(windows);
  for (std::size_t w = 0; w < windows; ++w) {
    for (std::size_t i = 0; i < each; ++i) {
      const auto yes = static_cast<std::uint32_t>(i % 4 == 0 ? 1 : 0);
      const auto number = static_cast<std::uint32_t>((i + w) % 5);
      result[w].push_back(Record::create(task.schema(), {yes, number}).value());
    }
  }
  return result;
}

// There are 40 runs. The mean error of an unbiased answer exceeds 6 of its standard deviations with probability 2e-9.
// If the normal interval covers with probability 95 %, at most 25 runs cover with probability below 1e-9.
TEST_CASE("answers scatter around the truth as their standard errors say") {
  const Task task = planned();
  const RehearsalPlan plan{task.spec(), {{"", "a0"}, {"average", "mean(a1)"}}, 0.95};
  const Windows crowd = people(task, 1, 2000);
  RehearsalSummary summary;
  for (int run = 0; run < 40; ++run) {
    const auto answers = rehearse_here(plan, crowd);
    REQUIRE(answers);
    summary.add(*answers);
  }
  REQUIRE(summary.rows().size() == 2);
  CHECK(summary.all_answered());
  CHECK(summary.rows()[0].truth == doctest::Approx(0.25));
  CHECK(summary.rows()[1].truth == doctest::Approx(0));
  for (const RowSummary& row : summary.rows()) {
    CAPTURE(row.row.measure);
    CHECK(row.runs == 40);
    CHECK(row.standard_error > 0);
    CHECK(std::abs(row.bias()) <= 6 * row.standard_error / std::sqrt(40.0));
    // A χ² variable with 40 degrees of freedom is outside 8 to 105 with probability 1.1e-7.
    CHECK(row.rmse() > row.standard_error * std::sqrt(8.0 / 40));
    CHECK(row.rmse() < row.standard_error * std::sqrt(105.0 / 40));
    CHECK(row.normal_covered > 25);
    CHECK(row.guaranteed_covered > 25);
  }
}

TEST_CASE("the answers about each window come after the answers about all windows together") {
  const Task task = planned();
  const RehearsalPlan plan{task.spec(), {{"", "a1 >= 1"}, {"", "histogram(a1)"}}, 0.95};
  const auto answers = rehearse_here(plan, people(task, 3, 500));
  REQUIRE(answers);
  REQUIRE(answers->size() == 4 * 6);
  CHECK_FALSE((*answers)[0].row.window);
  CHECK((*answers)[6].row.window == 1U);
  CHECK((*answers)[23].row.window == 3U);
  CHECK((*answers)[23].row.about == "a1 = 2");
  CHECK((*answers)[6].truth == doctest::Approx(0.4));
  for (const RehearsedAnswer& each : *answers) CHECK(each.answer);
}

TEST_CASE(
    "a question that the task cannot answer has a reason in its row, and a malformed measure ends the rehearsal") {
  const Task task = planned();
  const Windows crowd = people(task, 1, 100);
  const Task single = tests::task_over("b r5", "4", CharactersSpec{1}, tests::groups_of({{GroupKind::kSingle, 1, 1}}));
  RehearsalSummary summary;
  summary.add(rehearse_here({single.spec(), {{"", "a0 and a1 = 1"}}, 0.95}, crowd).value());
  CHECK_FALSE(summary.all_answered());
  CHECK_FALSE(summary.rows()[0].remark.empty());
  CHECK(to_json(summary).at(0).at("value").is_null());
  const auto wrong = rehearse_here({task.spec(), {{"", "a9"}}, 0.95}, crowd);
  REQUIRE(!wrong);
  CHECK(wrong.error().message.starts_with("measure `a9`: "));
}

TEST_CASE("a summary has means over the runs that gave an answer") {
  const auto run = [](double truth, double value, double low, double high) {
    measures::Answer answer{};
    answer.value = value;
    answer.standard_error = 0.5;
    answer.normal = {low, high};
    answer.guaranteed = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    return std::vector<RehearsedAnswer>{{{"m", "", "", std::nullopt}, truth, answer}};
  };
  RehearsalSummary summary;
  summary.add(run(1, 2, 0, 4));
  summary.add(run(3, 3, 3.5, 5.5));
  summary.add(run(std::nan(""), 7, 0, 1));
  const RowSummary& row = summary.rows().front();
  CHECK(row.runs == 2);
  CHECK(row.truth == 2);
  CHECK(row.value == 2.5);
  CHECK(row.bias() == 0.5);
  CHECK(row.rmse() == doctest::Approx(std::sqrt(0.5)));
  CHECK(row.normal_margin == 1.5);
  CHECK(row.normal_covered == 1);
  CHECK(row.guaranteed_covered == 2);
  CHECK_FALSE(summary.all_answered());

  const console::Table table = to_table(summary);
  REQUIRE(table.rows.size() == 1);
  const Json json = to_json(summary).at(0);
  CHECK(json.size() == table.header.size());
  for (const std::string& name : table.header) CHECK(json.contains(name));
  CHECK(json.at("bias") == 0.5);
}

TEST_CASE("each rehearsal has a new task, and the last window of the task is the present window") {
  TaskSpec spec = planned().spec();
  spec.report_expiry_age = spec.time_precision;
  const Task one = Task::create(for_rehearsal(spec, 3)).value();
  const Task other = Task::create(for_rehearsal(spec, 3)).value();
  CHECK(one.id() != other.id());
  CHECK(one.spec().report_expiry_age == 0);
  const UnixSeconds now = make_system_clock()->now();
  const UnixSeconds last = one.spec().task_start + 2 * spec.time_precision;
  CHECK(last <= now);
  CHECK(now < last + 2 * spec.time_precision);
  CHECK(one.end() > now + 86'000);
}

}  // namespace
}  // namespace hearsay::cli
