// Tests the costs of the best candidates. The cost of a list of queries does not depend on other attributes of the
// schema.
#include "aggregator/planner/candidates.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/planner/plan.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

std::vector<Query> parsed(const Schema& schema, const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(Query::parse(schema, text).value());
  return queries;
}

Candidate best(const Schema& schema, const std::vector<std::string>& texts, const char* epsilon = "1") {
  const TaskSpec base{.title = "",
                      .schema = schema,
                      .arrangement = CharactersSpec{1},
                      .channel = LaplaceSpec{},
                      .epsilon = Epsilon::parse(epsilon).value(),
                      .task_duration = 1,
                      .time_precision = 1};
  return candidates(base, parsed(schema, texts), {0.01, 0.05}).value().front();
}

double ratio_of(const char* shape, const Workload& workload, const char* epsilon) {
  const TaskSpec base{.title = "",
                      .schema = tests::schema_of(shape),
                      .arrangement = CharactersSpec{1},
                      .channel = LaplaceSpec{},
                      .epsilon = Epsilon::parse(epsilon).value(),
                      .task_duration = 1,
                      .time_precision = 1};
  return candidates(base, workload, {0.01, 0.05}).value().front().plan->limit_ratio;
}

const char* const kLarge = "b b b b b b c5 r64 b b b b b b b b";

TEST_CASE("a query that is one question costs the one-query limit in any schema") {
  for (const char* const shape : {"b", "b b b b b", kLarge}) {
    const Candidate candidate = best(tests::schema_of(shape), {"a0"});
    CHECK(candidate.plan->limit_ratio == doctest::Approx(1).epsilon(1e-6));
  }
}

TEST_CASE("one threshold or range costs the one-query limit on any number of values") {
  for (const char* const shape : {"r3", "r64", "r1000 b c5", "r1048576", "r1048576 r64 b"}) {
    const std::string middle = shape == std::string("r3") ? "-1" : "30";
    const std::string one_value = "a0 in " + middle + ".." + middle;
    for (const std::string& text : {"a0 >= " + middle, one_value, "not (a0 < " + middle + ")"}) {
      CAPTURE(shape);
      CAPTURE(text);
      const Candidate candidate = best(tests::schema_of(shape), {text});
      CHECK(candidate.plan->limit_ratio == doctest::Approx(1).epsilon(1e-6));
      CHECK(candidate.plan->worst_query == text);
      REQUIRE(candidate.task);
      CHECK(candidate.task->spec().cuts.size() == 1);
      CHECK(candidate.task->schema() == tests::schema_of(shape));
      const auto lines = plan(*candidate.task, parsed(candidate.task->schema(), {text}), {0.01, 0.05});
      const auto& line = lines.front();
      CHECK(line->users_exact == candidate.plan->users_worst);
    }
  }
}

// Questions about four cells of many values cost as much as questions about four values.
TEST_CASE("a few thresholds cost as much on many values as on few") {
  const Candidate few = best(tests::schema_of("r4 b"), {"a0 >= -1", "a0 >= 0", "a0 >= 1 and a1"});
  for (const char* const shape : {"r64 b", "r1048576 b"}) {
    CAPTURE(shape);
    const Candidate many = best(tests::schema_of(shape), {"a0 >= 5", "a0 >= 30", "a0 >= 50 and a1"});
    CHECK(many.plan->limit_ratio <= 1.0001 * few.plan->limit_ratio);
    CHECK(many.task->asked_schema()[0].size() == 4);
  }
}

TEST_CASE("a task asks about cells of values if this takes fewer users, and about values otherwise") {
  const std::vector<std::string> texts{"a0 >= 3", "a0 >= 5 and a1", "a0 in 0..4"};
  const TaskSpec base = tests::spec_over("r16 b", "2");
  const std::vector<Query> queries = parsed(base.schema, texts);
  const Candidate chosen = candidates(base, queries, {0.01, 0.05}).value().front();
  // In a mixture these queries are planned for values.
  const Candidate of_values = candidates(base, Mixture{{{queries, 1}}}, {0.01, 0.05}).value().front();
  CHECK(of_values.task->spec().cuts.empty());
  CHECK_FALSE(chosen.task->spec().cuts.empty());
  CHECK(chosen.plan->users_worst < of_values.plan->users_worst);
  // Means and ranges need the values.
  const Workload with_means = Mixture{{{queries, 1}, {Means{}, 1}}};
  CHECK(candidates(base, with_means, {0.01, 0.05}).value().front().task->spec().cuts.empty());
  TaskSpec cut = chosen.task->spec();
  CHECK(candidates(cut, queries, {0.01, 0.05}).value().front().task->id() == chosen.task->id());
  CHECK(candidates(cut, Ranges{}, {0.01, 0.05}).value().front().task->spec().cuts.empty());
}

TEST_CASE("ranges and prefixes of more than 2^13 values are planned by levels") {
  for (const char* const shape : {"r16384", "r1000000 r30"}) {
    CAPTURE(shape);
    const TaskSpec base = tests::spec_over(shape, "1");
    const double bits = shape == std::string("r16384") ? 14 : 20;
    for (const bool ranges : {true, false}) {
      const Workload workload = ranges ? Workload(Ranges{}) : Workload(Prefixes{});
      const std::vector<Candidate> list = candidates(base, workload, {0.01, 0.05}).value();
      REQUIRE(list.front().plan);
      CHECK(list.front().plan->at_most);
      CHECK(list.front().plan->limit_ratio < 1.2 * 0.9 * bits * bits);
      CHECK(list.front().plan->limit_ratio > 0.3 * bits * bits);
    }
  }
}

TEST_CASE("half-circles on an attribute are tried, too, beside an attribute of two values") {
  for (const char* const shape : {"r64 r3", "r64 r2"}) {
    const auto list = candidates(tests::spec_over(shape, "1"), Ranges{}, {0.01, 0.05}).value();
    CHECK(std::ranges::any_of(list,
                              [](const Candidate& one) { return one.name.find("half-circles") != std::string::npos; }));
  }
}

TEST_CASE("a part of a class takes no more users than the whole class") {
  const double ranges = ratio_of("r16", Ranges{}, "4");
  CHECK(ranges < 2);  // each device answers about the whole value
  CHECK(ratio_of("r16", Prefixes{}, "4") < 1.001 * ranges);
  CHECK(ratio_of("r16", Mixture{{{Ranges{}, 1}, {Means{}, 1}}}, "4") < 1.001 * ranges);
  CHECK(ratio_of("r16 r3", Ranges{}, "4") < 2.5 * ranges);
  const double boxes = ratio_of("r8 r16", Boxes{2}, "4");
  const Candidate list = best(tests::schema_of("r8 r16"), {"a0 in 2..4 and a1 in 3..9", "a0 >= 4 and a1 >= 8"}, "4");
  CHECK(list.plan->limit_ratio < 1.001 * boxes);
}

// The optimum over all weights of groups on these four attributes is between 4.3 and 4.4.
TEST_CASE("all conjunctions of two pairs of booleans cost as much as each pair alone") {
  const std::vector<std::string> texts{"a0 and a1", "not a0 and a1", "a0 and not a1", "not a0 and not a1",
                                       "a2 and a3", "not a2 and a3", "a2 and not a3", "not a2 and not a3"};
  const Candidate alone = best(tests::schema_of("b b b b"), texts);
  const Candidate large = best(tests::schema_of(kLarge), texts);
  CHECK(alone.plan->limit_ratio < 4.38);
  CHECK(large.plan->limit_ratio == doctest::Approx(alone.plan->limit_ratio).epsilon(1e-3));
}

// The planner must choose weights for the worst population. With weights that minimise the average variance, every
// third report asks about a1 alone. Such weights need 1.4 times as many users.
TEST_CASE("queries on attributes with padding cost as much in a large schema as in the schema of their attributes") {
  const std::vector<std::string> texts{"a1 = v1", "a0 >= 2 and a1 = v0"};
  const Candidate alone = best(tests::schema_of("r3 c3"), texts, "4");
  const Candidate large = best(tests::schema_of("r3 c3 b r4 c5 b b b"), texts, "4");
  REQUIRE(alone.plan);
  REQUIRE(large.plan);
  CHECK(alone.plan->limit_ratio < 2.2);
  CHECK(large.plan->limit_ratio < 1.001 * alone.plan->limit_ratio);
}

std::string refusal(const Task& task, const std::string& text) {
  compiler::Work work;
  const auto compiled = compiler::compile(task, Query::parse(task.schema(), text).value(), work);
  REQUIRE_FALSE(compiled);
  CHECK(compiled.error().code == ErrorCode::kQueryNotCovered);
  return compiled.error().message;
}

// The attributes have 2^13 bit patterns. For so many patterns quick_plan() has only bounds.
TEST_CASE("the most expensive query of a list is planned exactly, and no bound is below the cost of its query") {
  const TaskSpec base = tests::spec_over("c65 c33", "1");
  const std::vector<Query> queries = parsed(base.schema, {"a0 = v1 and a1 = v3", "a0 = v4 or a1 = v5", "a0 = v2"});
  constexpr Target kTarget{0.01, 0.05};
  const std::vector<Candidate> list = candidates(base, queries, kTarget).value();
  const auto groups = std::find_if(list.begin(), list.end(),
                                   [](const Candidate& one) { return one.name == "characters, planned groups"; });
  REQUIRE(groups != list.end());
  REQUIRE(groups->plan);
  const auto exact = plan(*groups->task, queries, kTarget);
  const auto quick = quick_plan(*groups->task, queries, kTarget);
  std::uint64_t users = 0;
  double ratio = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    REQUIRE(exact[i]);
    REQUIRE(quick[i]);
    users = std::max(users, exact[i]->users_exact);
    ratio = std::max(ratio, exact[i]->limit_ratio);
    CHECK(quick[i]->variance.average == doctest::Approx(exact[i]->variance.average).epsilon(1e-12));
    CHECK(quick[i]->users_exact >= exact[i]->users_exact);
    CHECK(quick[i]->limit_ratio >= exact[i]->limit_ratio * (1 - 1e-9));
  }
  CHECK(groups->plan->users_worst == users);
  CHECK(groups->plan->limit_ratio == doctest::Approx(ratio).epsilon(1e-12));
}

TEST_CASE("the error about a question that a task never asks names the set of attributes") {
  const Candidate candidate = best(tests::schema_of("b b c3 b"), {"a0 and a1", "a2 = v1"});
  REQUIRE(candidate.task);
  CHECK(refusal(*candidate.task, "a3").find("about a3,") != std::string::npos);
  const SampledSpec spec{.groups = {{GroupKind::kSingle, 1, 1, {0, 1, 2}}, {GroupKind::kSingle, 2, 1, {0, 1}}}};
  const Task task = tests::task_over("b b c3 b", "1", CharactersSpec{2}, spec);
  CHECK(refusal(task, "a0 and a2 = v1").find("about a0 and a2 together,") != std::string::npos);
}

}  // namespace
}  // namespace hearsay::planner
