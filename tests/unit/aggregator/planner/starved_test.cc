#include "aggregator/planner/starved.h"

#include <doctest/doctest.h>

#include <string>
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

TEST_CASE("a set that is never asked about is refused, with the query and the set") {
  const Task task = task_of({{GroupKind::kSingle, 1, 1}});
  CHECK(starvation(task, {"a0", "a2 = v1"}).empty());
  const std::string both = starvation(task, {"a0", "a0 and a2 = v1"});
  CHECK(both.starts_with("query 'a0 and a2 = v1': "));
  CHECK(both.find("a0 and a2 together") != std::string::npos);
}

// Against the people themselves, a1 takes (c²-1)/4 alone and ((rest+1)·c²-1)/4 here, c² = 4.68: 90 and 115 times.
TEST_CASE("a set that is asked about too rarely is refused, with the query and the set") {
  const auto with_rest = [](std::uint32_t rest) {
    return task_of({{GroupKind::kSingle, 1, rest, {0}}, {GroupKind::kSingle, 1, 1, {1}}});
  };
  CHECK(starvation(with_rest(70), {"a1"}).empty());
  const std::string rare = starvation(with_rest(90), {"a1"});
  CHECK(rare.starts_with("query 'a1': takes "));
  CHECK(rare.find("too little about a1.") != std::string::npos);
  // Of the sets that a query needs the rarest is named.
  const Task rarely_together = task_of({{GroupKind::kSingle, 1, 100000}, {GroupKind::kSingle, 2, 1, {0, 1}}});
  CHECK(starvation(rarely_together, {"a0"}).empty());
  CHECK(starvation(rarely_together, {"a0", "a0 and a1"}).find("too little about a0 and a1 together.") !=
        std::string::npos);
  // More users than there are numbers for.
  CHECK(starvation(task_of({{GroupKind::kSingle, 1, 1U << 30U, {0}}, {GroupKind::kSingle, 1, 1, {1}}}), {"a0", "a1"})
            .starts_with("query 'a1': "));
}

TEST_CASE("other mechanisms have no weights to starve a query by") {
  CHECK(starvation(tests::task_over("b b c3", "1", LiteralsSpec{}, LaplaceSpec{LaplaceCalibration::kPaper, {}}), {"a0"})
            .empty());
}

TEST_CASE("a rank that takes over a hundred times the users of rank 1 is not written") {
  const Task task = task_of({{GroupKind::kSingle, 1, 1}});
  WorkloadPlan best{};
  best.users_worst = 1000;
  WorkloadPlan planned{};
  planned.users_worst = 99'999;
  CHECK(check_not_starved(task, planned, best));
  planned.users_worst = 100'000;
  CHECK_FALSE(check_not_starved(task, planned, best));
}

}  // namespace
}  // namespace hearsay::planner
