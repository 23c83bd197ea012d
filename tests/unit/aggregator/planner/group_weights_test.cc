#include "aggregator/planner/group_weights.h"

#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/planner/plan.h"
#include "aggregator/planner/workload.h"
#include "common/channel/channel.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

double choose(int n, int k) {
  double result = 1;
  for (int i = 1; i <= k; ++i) result *= static_cast<double>(n - k + i) / i;
  return result;
}

// Returns the optimum for conjunctions of r of k booleans with singles, over the one-query limit c²/4: (Σ_{l<=r}
// √(C(r,l)·C(k,l)))²/4^{r-1}.
double single_ratio(int k, int r) {
  double sum = 0;
  for (int l = 1; l <= r; ++l) sum += std::sqrt(choose(r, l) * choose(k, l));
  return sum * sum / std::pow(4, r - 1);
}

struct Planned {
  Task task;
  double average;  // the average variance of the worst query, divided by the one-query limit
  double worst;    // the variance in the worst population, divided by the one-query limit
};

Planned planned(int k, const char* epsilon, const Workload& workload, GroupChoice choice) {
  const std::string shape = tests::booleans(k);
  const Schema schema = tests::schema_of(shape);
  const auto queries = representatives(workload, schema).value();
  const auto planner = GroupPlanner::create(schema, order_of(workload), Epsilon::parse(epsilon).value(), queries);
  REQUIRE(planner);
  const auto spec = planner->plan(choice, SetChoice::kAll);
  REQUIRE(spec);
  Planned result{tests::task_over(shape, epsilon, CharactersSpec{order_of(workload)}, *spec), 0, 0};
  for (const auto& line : plan(result.task, queries, {0.01, 0.05})) {
    REQUIRE(line);
    CHECK(line->guarantee == compiler::Guarantee::kWorstCase);
    const double limit = line->variance.worst / line->limit_ratio;
    result.average = std::max(result.average, line->variance.average / limit);
    result.worst = std::max(result.worst, line->limit_ratio);
  }
  return result;
}

// For conjunctions of r = 2 attributes, k must be at least 5. With fewer attributes shorter conjunctions would be the
// worst.
TEST_CASE("the plan of singles for conjunctions reaches the optimum's closed form") {
  CHECK(single_ratio(8, 2) == doctest::Approx(21.6).epsilon(0.01));
  CHECK(single_ratio(16, 2) == doctest::Approx(69).epsilon(0.01));
  CHECK(single_ratio(64, 2) == doctest::Approx(790).epsilon(0.01));
  struct Case {
    int k;
    std::uint32_t r;
  };
  for (const Case& c : {Case{8, 2}, Case{16, 2}, Case{64, 2}, Case{16, 3}, Case{5, 1}}) {
    for (const char* epsilon : {"0.25", "1", "4"}) {
      CAPTURE(c.k);
      const int k = c.k;
      const int r = static_cast<int>(c.r);
      const Planned plan = planned(k, epsilon, Conjunctions{c.r}, GroupChoice::kSingles);
      // The variance is at least the optimum. The variance exceeds the optimum only by the tolerance of the search and
      // the rounding of the weights.
      CHECK(plan.average > single_ratio(k, r) * (1 - 1e-9));
      CHECK(plan.average < single_ratio(k, r) * 1.003);
      // Each group has one coordinate, whose variance is largest at mean 0.
      CHECK(plan.worst == doctest::Approx(plan.average).epsilon(1e-3));
    }
  }
}

TEST_CASE("groups of several coordinates need fewer users than singles") {
  struct Case {
    const char* epsilon;
    double average;
    double worst;
  };
  for (const Case& c : {Case{"1", 54.5, 58}, Case{"2", 34, 40}, Case{"4", 11, 69.0 / 5}}) {
    CAPTURE(c.epsilon);
    const Planned plan = planned(16, c.epsilon, Conjunctions{2}, GroupChoice::kAll);
    CHECK(plan.average < c.average);
    CHECK(plan.worst < c.worst);
    CHECK(plan.worst >= plan.average * (1 - 1e-9));
  }
  // A single has the information γ² = ((e-1)/(e+1))². For 2 bits γ is (e-1)/(e+3), and the group's three coordinates
  // have the information γ² each.
  const double e = std::exp(1.0);
  const double gain = 3 * std::pow((e + 1) / (e + 3), 2);
  CHECK(planned(16, "1", Conjunctions{2}, GroupChoice::kAll).average ==
        doctest::Approx(single_ratio(16, 2) / gain).epsilon(0.004));
}

TEST_CASE("any function of two booleans takes 136 times the one-query limit with singles, and less with groups") {
  const Planned singles = planned(16, "1", Functions{2}, GroupChoice::kSingles);
  CHECK(singles.worst < 140);
  CHECK(singles.worst == doctest::Approx(16 + 120).epsilon(0.01));
  CHECK(planned(16, "1", Functions{2}, GroupChoice::kAll).worst < 112);
}

TEST_CASE("the planner finds weights for a schema of attributes of many kinds") {
  const Schema schema = tests::schema_of("b b b b b b b c50 c3 r100 r121 r10");
  const Mixture workload{{{Boxes{1}}, {Functions{2}}}};
  const auto queries = representatives(workload, schema).value();
  const auto planner = GroupPlanner::create(schema, 2, Epsilon::parse("0.5").value(), queries);
  REQUIRE(planner);
  const auto spec = planner->plan(GroupChoice::kAll, SetChoice::kByMasks);
  CHECK(spec);
}

// The variance of a question with the weight w is in proportion to 1/w. The mean counts 16 times, so its question gets
// 16 times the weight.
TEST_CASE("queries and means count by their given weights") {
  const Schema schema = tests::schema_of("b r2");
  const std::vector<Query> queries{Query::parse(schema, "a0").value()};
  const WeightedFunction mean{{{{1, {0, 1}}}}, 16};
  const auto planner = GroupPlanner::create(schema, 1, Epsilon::parse("1").value(), queries, {1}, {mean});
  const auto spec = planner->plan(GroupChoice::kSingles, SetChoice::kNeeded).value();
  REQUIRE(spec.groups.size() == 2);
  CHECK(spec.groups[1].weight / static_cast<double>(spec.groups[0].weight) == doctest::Approx(16).epsilon(0.05));
}

TEST_CASE("no report asks about an attribute that no query mentions") {
  const Schema schema = tests::schema_of("b b b");
  const std::vector<Query> parity{Query::parse(schema, "(a0 and not a1) or (not a0 and a1)").value()};
  const auto planner = GroupPlanner::create(schema, 2, Epsilon::parse("1").value(), parity);
  const auto spec = planner->plan(GroupChoice::kSingles, SetChoice::kNeeded).value();
  REQUIRE(spec.groups.size() == 1);
  CHECK(spec.groups[0].size == 2);
  CHECK(spec.groups[0].attributes == std::vector<std::uint32_t>{0, 1});
}

double worst_ratio(const Schema& schema, const SampledSpec& spec, std::uint32_t order, const char* epsilon,
                   const std::vector<Query>& queries) {
  const Task task = Task::create({.title = "",
                                  .schema = schema,
                                  .arrangement = CharactersSpec{order},
                                  .channel = spec,
                                  .epsilon = Epsilon::parse(epsilon).value(),
                                  .task_duration = 1,
                                  .time_precision = 1})
                        .value();
  double worst = 0;
  for (const auto& line : plan(task, queries, {0.01, 0.05})) worst = std::max(worst, line.value().limit_ratio);
  return worst;
}

TEST_CASE("a list of queries costs as much in a large schema as in the schema of its attributes") {
  const char* const epsilon = "1";
  const Schema large = tests::schema_of("b b b b b b b b c5 r64 b b b b b b");
  const auto ratio = [&](const Schema& schema, std::vector<std::string> texts, std::uint32_t order,
                         GroupChoice choice = GroupChoice::kAll) {
    std::vector<Query> queries;
    for (const std::string& text : texts) queries.push_back(Query::parse(schema, text).value());
    const auto planner = GroupPlanner::create(schema, order, Epsilon::parse(epsilon).value(), queries);
    return worst_ratio(schema, planner->plan(choice, SetChoice::kNeeded).value(), order, epsilon, queries);
  };
  CHECK(ratio(large, {"a3"}, 1) == doctest::Approx(1).epsilon(1e-6));
  const std::vector<std::string> pairs{"a0 and a1", "not a0 and a1", "a0 and not a1", "not a0 and not a1",
                                       "a2 and a3", "not a2 and a3", "a2 and not a3", "not a2 and not a3"};
  const double alone = ratio(tests::schema_of("b b b b"), pairs, 2);
  CHECK(ratio(large, pairs, 2) == doctest::Approx(alone).epsilon(1e-3));
  // With singles each of the two pairs has three coordinates with the weight 1/4 in the query. The ratio is 4·2·(3/4)².
  CHECK(ratio(large, pairs, 2, GroupChoice::kSingles) == doctest::Approx(4.5).epsilon(1e-3));
}

TEST_CASE("the planner refuses a list of constant queries, and queries on more attributes than the order") {
  const Schema schema = tests::schema_of("b b b");
  const Epsilon epsilon = Epsilon::parse("1").value();
  CHECK(GroupPlanner::create(schema, 2, epsilon, {Query::parse(schema, "a0 or not a0").value()}).error().code ==
        ErrorCode::kInvalidArgument);
  CHECK(GroupPlanner::create(schema, 2, epsilon, {Query::parse(schema, "a0 and a1 and a2").value()}).error().code ==
        ErrorCode::kQueryNotCovered);
  CHECK(GroupPlanner::create(schema, 4, epsilon, {Query::parse(schema, "a0").value()}).error().code ==
        ErrorCode::kInvalidArgument);
}

TEST_CASE("uniform singles ask about every coordinate equally often") {
  const Schema schema = tests::schema_of("b c4 r9");
  const auto spec = uniform_singles(schema, 2).value();
  const Task task = tests::task_over("b c4 r9", "1", CharactersSpec{2}, spec);
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  const double gamma = channel.gamma(channel.classes()[0]);
  const double d = static_cast<double>(task.arrangement().dimension());
  for (const std::vector<std::uint32_t>& on : {std::vector<std::uint32_t>{0}, {2}, {0, 1}, {1, 2}}) {
    CHECK(channel.information(on) == doctest::Approx(gamma * gamma / d).epsilon(1e-12).scale(0));
  }
}

}  // namespace
}  // namespace hearsay::planner
