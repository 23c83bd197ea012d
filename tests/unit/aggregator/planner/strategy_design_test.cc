#include "aggregator/planner/strategy_design.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/compiler/worst_people_scores.h"
#include "aggregator/planner/candidates.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/strategy_matrix.h"
#include "aggregator/planner/strategy_outputs.h"
#include "aggregator/planner/strategy_plan.h"
#include "aggregator/planner/strategy_variance.h"
#include "common/audit/audit.h"
#include "tests/support/group_law.h"
#include "tests/support/planned_tasks.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay::planner {
namespace {

using tests::response_matrix;
using tests::strategy_spec;
using tests::strategy_task;

const Target kStrategyTarget{0.05, 0.05};

TaskSpec base_of(const std::string& shape, const std::string& epsilon = "1") {
  return strategy_spec(shape, response_matrix(2), epsilon);
}

const StrategyChannel& strategy_of(const Task& task) { return std::get<StrategyChannel>(task.channel().kind()); }

TEST_CASE("the strategy for one yes/no question is randomized response") {
  const Workload workload = std::vector<Query>{Query::parse(base_of("b").schema, "a0").value()};
  const Candidate made =
      strategy_candidate(base_of("b"), workload, kStrategyTarget, {}, [](const std::string&) {}).value();
  REQUIRE(made.plan);
  CHECK(made.plan->limit_ratio == doctest::Approx(1).epsilon(1e-6));
  CHECK(audit(*made.task, made.task->channel())->holds);
}

// 4 values can be split into two parts in few ways, so all 14 sets can be listed.
TEST_CASE("the sets that the search finds are as good as all sets") {
  const ExplicitWorkload workload = explicit_workload(Prefixes{}, base_of("r4").schema).value();
  REQUIRE(workload.functions.cols() == 3);
  const auto total = [&](const StrategySets& strategy) {
    const StrategySpec matrix = rounded_strategy(strategy, Epsilon::parse("1").value()).value();
    const Task task = strategy_task("r4", matrix);
    const compiler::StrategyDecoder decoder(strategy_of(task));
    return decoder.second_moments(decoder.scores(workload.functions).value()).sum() / 4;
  };
  const StrategyOptions options{.epsilon = 1, .objective = StrategyObjective::kTotal, .most_outputs = 64, .rounds = 60};
  StrategySets all;
  for (unsigned bits = 1; bits < 15; ++bits) {
    std::vector<bool> set;
    for (unsigned x = 0; x < 4; ++x) set.push_back((bits >> x & 1U) != 0);
    all.sets.push_back(set);
    all.weights.push_back(1);
  }
  const double best = total(optimise_strategy(workload, all, options));
  CHECK(total(optimise_strategy(workload, {}, options)) == doctest::Approx(best).epsilon(1e-3));
}

TEST_CASE("outputs follow the weights of the groups and the odds of the attributes") {
  const GroupWeight alone{.kind = GroupKind::kSingle, .size = 1, .weight = 3, .attributes = {}, .odds = {1, 5, 2}};
  const GroupWeight pairs{.kind = GroupKind::kSingle, .size = 2, .weight = 4, .attributes = {}, .odds = {7, 1, 1}};
  const GroupWeight raw{.kind = GroupKind::kRaw, .size = 2, .weight = 5, .attributes = {0, 2}, .odds = {}};
  const Task task = tests::task_over("b b b", "1", CharactersSpec{2}, SampledSpec{.groups = {alone, pairs, raw}});
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  const auto& spec = std::get<SampledSpec>(task.spec().channel);
  std::map<std::vector<bool>, double> expected;
  const std::vector<Record> records = tests::all_records(task.schema());
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const auto& of = channel.class_of(group);
    const double chance = static_cast<double>(of.weight) / static_cast<double>(channel.total_weight()) *
                          tests::chance_within_class(task.schema(), spec, channel, group);
    for (std::uint32_t n = 0; n < of.answers; ++n) {
      std::vector<bool> set;
      for (const Record& record : records) {
        set.push_back(channel.true_value(group, record) == channel.nth_answer(group, n));
      }
      expected[set] += chance * (1 - std::ldexp(static_cast<double>(of.gamma), -64)) / of.answers;
    }
  }
  const StrategySets found = outputs_of(task, 1000);
  REQUIRE(found.sets.size() == expected.size());
  for (std::size_t k = 0; k < found.sets.size(); ++k) {
    CHECK(found.weights[k] == doctest::Approx(expected.at(found.sets[k])).epsilon(1e-9));
  }
  CHECK(outputs_of(task, 3).sets.size() == 3);
}

TEST_CASE("the outputs of a task over cells are sets of values") {
  const TaskSpec base = base_of("r12");
  const std::vector<Query> list{Query::parse(base.schema, "a0 >= 3").value()};
  const std::vector<Candidate> others = candidates(base, list, kStrategyTarget).value();
  std::size_t cut = 0;
  for (const Candidate& other : others) {
    if (!other.task || other.task->coarsening() == nullptr) continue;
    for (const std::vector<bool>& set : outputs_of(*other.task, 100).sets) {
      REQUIRE(set.size() == 12);
      for (std::size_t x = 0; x < 12; ++x) CHECK(set[x] == set[x < 5 ? 0 : 11]);  // a0 = -2 to 9
      ++cut;
    }
  }
  CHECK(cut > 0);
  const Candidate made = strategy_candidate(base, list, kStrategyTarget, others, [](const std::string&) {}).value();
  CHECK(made.plan->limit_ratio == doctest::Approx(1).epsilon(1e-5));
}

TEST_CASE("the plan's variances agree with an enumeration of the law") {
  const Candidate made =
      strategy_candidate(base_of("r5"), Ranges{}, kStrategyTarget, {}, [](const std::string&) {}).value();
  const Task& task = made.task.value();
  const Query query = Query::parse(task.schema(), "a0 >= -1 and a0 <= 1").value();
  compiler::Work work;
  const compiler::LinearQuery linear = compiler::compile(task, query, work)->linear;
  const ReportVariance variance = report_variance(task, query, linear);
  Eigen::VectorXd function(5);
  function << 0, 1, 1, 1, 0;
  const compiler::StrategyDecoder decoder(strategy_of(task));
  const Eigen::VectorXd scores = compiler::worst_people_scores(decoder, function).value();
  double worst = 0;
  for (int x = 0; x < 5; ++x) {
    double mean = 0;
    double square = 0;
    for (std::uint32_t k = 0; k < strategy_of(task).outputs(); ++k) {
      const double probability = std::ldexp(strategy_of(task).entry(static_cast<std::size_t>(x), k), -32);
      mean += probability * scores[k];
      square += probability * scores[k] * scores[k];
    }
    CHECK(mean == doctest::Approx(function[x]).epsilon(1e-9));
    worst = std::max(worst, square - mean * mean);
  }
  CHECK(variance.worst_among_reporters == doctest::Approx(worst).epsilon(1e-9));
  const Eigen::VectorXd moments = decoder.second_moments(scores);
  double mixed = 0;
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 5; ++y) {
      for (int part = 0; part <= 100; ++part) {
        const double p = part / 100.0;
        const double mean = p * function[x] + (1 - p) * function[y];
        mixed = std::max(mixed, p * moments[x] + (1 - p) * moments[y] - mean * mean);
      }
    }
  }
  CHECK(variance.worst >= mixed * (1 - 1e-9));
  CHECK(variance.worst <= mixed * (1 + 1e-3));
}

TEST_CASE("plan_good_strategy() returns the plan, or nothing if the plan is above the limit") {
  const ExplicitWorkload workload = explicit_workload(Ranges{}, base_of("r5").schema).value();
  const Task task = strategy_task("r5", response_matrix(5));
  const WorkloadPlan whole = plan_strategy(task, workload, kStrategyTarget).value();
  const auto above = plan_good_strategy(task, workload, kStrategyTarget, whole.limit_ratio * 1.001).value();
  REQUIRE(above);
  CHECK(above->limit_ratio == whole.limit_ratio);
  CHECK_FALSE(plan_good_strategy(task, workload, kStrategyTarget, whole.limit_ratio * 0.999).value());
  double worst = 0;
  for (int low = 0; low < 5; ++low) {
    for (int high = low; high < 5; ++high) {
      const Query query =
          Query::parse(task.schema(), "a0 >= " + std::to_string(low - 2) + " and a0 <= " + std::to_string(high - 2))
              .value();
      compiler::Work work;
      const compiler::LinearQuery linear = compiler::compile(task, query, work)->linear;
      worst = std::max(worst, limit_ratio(report_variance(task, query, linear).worst, 1));
    }
  }
  CHECK(worst == doctest::Approx(whole.limit_ratio).epsilon(1e-6));
}

TEST_CASE("a schema with too many records for a strategy is refused, and the error gives their number") {
  const auto of = [](std::vector<std::uint32_t> sizes) {
    std::vector<Attribute> attributes;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      attributes.push_back(Attribute::range("a" + std::to_string(i), 0, std::int64_t{sizes[i]} - 1).value());
    }
    return strategy_records(Schema::create(std::move(attributes)).value());
  };
  CHECK(of({1024}).value() == 1024);
  CHECK(of({1025}).error().code == ErrorCode::kLimitExceeded);
  CHECK(of({1025}).error().message.find("has 1025:") != std::string::npos);
  CHECK(of({1024, 1024}).error().message.find("has 1048576:") != std::string::npos);
}

TEST_CASE(
    "after rounding every ratio of entries is within e^epsilon and every sum is exact, at small and large epsilon") {
  for (const char* epsilon : {"0.01", "1", "8", "20"}) {
    CAPTURE(epsilon);
    const Candidate made =
        strategy_candidate(base_of("b c3", epsilon), Conjunctions{2}, kStrategyTarget, {}, [](const std::string&) {
        }).value();
    REQUIRE(made.plan);
    const AuditResult result = audit(*made.task, made.task->channel()).value();
    CHECK(result.holds);
    CHECK(Task::parse(made.task->canonical_json())->id() == made.task->id());
  }
}

}  // namespace
}  // namespace hearsay::planner
