#include "aggregator/planner/starved.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

Task task_of(std::vector<GroupWeight> groups) {
  return tests::task_over("b b c3", "1", CharactersSpec{2}, SampledSpec{.groups = std::move(groups)});
}

std::string starvation(const Task& task, const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(Query::parse(task.schema(), text).value());
  const Result<void> checked = check_answers(task, queries);
  if (checked) return "";
  CHECK(checked.error().code == ErrorCode::kQueryNotCovered);
  return checked.error().message;
}

TEST_CASE("the error about a set of attributes without questions names the query and the set") {
  const Task task = task_of({{GroupKind::kSingle, 1, 1}});
  CHECK(starvation(task, {"a0", "a2 = v1"}).empty());
  const std::string both = starvation(task, {"a0", "a0 and a2 = v1"});
  CHECK(both.starts_with("query 'a0 and a2 = v1': "));
  CHECK(both.find("a0 and a2 together") != std::string::npos);
}

// c² is 4.68. Among the reporters the variance of a1 is (c²-1)/4 if asked alone, and ((rest+1)·c²-1)/4 here. For the
// two values of `rest` their ratios are 90 and 115.
TEST_CASE("the error about a set of attributes that is asked too rarely names the query and the set") {
  const auto with_rest = [](std::uint32_t rest) {
    return task_of({{GroupKind::kSingle, 1, rest, {0}}, {GroupKind::kSingle, 1, 1, {1}}});
  };
  CHECK(starvation(with_rest(70), {"a1"}).empty());
  const std::string rare = starvation(with_rest(90), {"a1"});
  CHECK(rare.starts_with("query 'a1': takes "));
  CHECK(rare.find("too little about a1.") != std::string::npos);
  // The message names the rarest set that the query needs.
  const Task rarely_together = task_of({{GroupKind::kSingle, 1, 100000}, {GroupKind::kSingle, 2, 1, {0, 1}}});
  CHECK(starvation(rarely_together, {"a0"}).empty());
  CHECK(starvation(rarely_together, {"a0", "a0 and a1"}).find("too little about a0 and a1 together.") !=
        std::string::npos);
  CHECK(starvation(task_of({{GroupKind::kSingle, 1, 1U << 30U, {0}}, {GroupKind::kSingle, 1, 1, {1}}}), {"a0", "a1"})
            .starts_with("query 'a1': "));
}

TEST_CASE("channels without weights cause no error about a rare set") {
  CHECK(starvation(tests::task_over("b b c3", "1", LiteralsSpec{}, LaplaceSpec{LaplaceCalibration::kPaper, {}}), {"a0"})
            .empty());
}

TEST_CASE("a task that takes a hundred times the users of rank 1 is not written") {
  const Task task = task_of({{GroupKind::kSingle, 1, 1}});
  WorkloadPlan best{};
  best.users_worst = 1000;
  WorkloadPlan planned{};
  planned.users_worst = 99'999;
  CHECK(check_not_starved(task, planned, best));
  planned.users_worst = 100'000;
  CHECK_FALSE(check_not_starved(task, planned, best));
}

// The budget's memory is too small for this circle.
TEST_CASE(
    "a task whose circle is too large for the budget is refused, or gets a warning if it also asks other questions") {
  const compiler::Cost budget{std::uint64_t{1} << 24U, std::uint64_t{1} << 18U};
  const compiler::Cost larger{std::uint64_t{1} << 24U, std::uint64_t{1} << 28U};
  const auto large = [](std::vector<GroupWeight> groups, std::vector<std::uint32_t> multipliers) {
    const std::vector<std::uint32_t> weights(multipliers.size(), 1);
    const CircleQuestions circle{
        .places = 1U << 15U, .bits = 1, .multipliers = std::move(multipliers), .weights = weights};
    return tests::task_over("r16384 b", "1", CharactersSpec{1},
                            SampledSpec{.groups = std::move(groups), .questions = {circle, ParityQuestions{}}});
  };
  const std::vector<std::uint32_t> many{1, 3, 5, 7, 9, 11, 13, 101};
  const auto alone = check_some_fit(large({{GroupKind::kSingle, 1, 1, {0}}}, many), budget);
  REQUIRE_FALSE(alone);
  CHECK(alone.error().code == ErrorCode::kLimitExceeded);
  CHECK(alone.error().message.find("every query about a0 takes more steps") != std::string::npos);
  const auto beside = check_some_fit(large({{GroupKind::kSingle, 1, 1}}, many), budget);
  REQUIRE(beside);
  CHECK(beside->size() == 1);
  CHECK(check_some_fit(large({{GroupKind::kSingle, 1, 1, {0}}}, many), larger)->empty());
  CHECK(check_some_fit(task_of({{GroupKind::kSingle, 1, 1}}), budget)->empty());
}

}  // namespace
}  // namespace hearsay::planner
