// Tests the joint choice of weights for groups and questions, against the variances of finished tasks and against a
// slow search.
#include "aggregator/planner/set_weights.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "aggregator/planner/candidates.h"
#include "aggregator/planner/class_products.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/set_groups.h"
#include "aggregator/planner/set_law.h"
#include "aggregator/planner/set_questions.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/sampled.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

std::vector<Query> list_of(const Schema& schema, const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(Query::parse(schema, text).value());
  return queries;
}

constexpr const char* kMixedShape = "b c3 r6 r9";
const std::vector<std::string>& mixed_texts() {
  static const std::vector<std::string> kTexts{"a0",         "a1 = v1 and a0",          "a1 = v2",
                                               "a2 in 0..1", "a2 >= 2 and a3 in -1..3", "a3 in 1..5 and a0"};
  return kTexts;
}

CircleQuestions circle_of(std::uint32_t values, std::uint32_t bits) {
  CircleQuestions circle{values, bits, {}, {}};
  for (std::uint32_t j = 1; j <= values / 2; ++j) {
    circle.multipliers.push_back(j);
    circle.weights.push_back(60 / j);
  }
  return circle;
}

// Returns the problem of these queries. `categories`, `first` and `second` choose the questions about the categorical
// attribute and the two ranges.
SetProblem mixed_problem(std::uint32_t categories, std::uint32_t first, std::uint32_t second, double epsilon) {
  const Schema schema = tests::schema_of(kMixedShape);
  SetProblem problem;
  problem.questions = {ParityQuestions{}, ParityQuestions{categories}, circle_of(6, first), circle_of(9, second)};
  const Workload list = list_of(schema, mixed_texts());
  problem.alike = asked_alike(list, schema);
  problem.products = products_for(list, schema, problem.alike).value();
  problem.groups = groups_for(schema, problem, epsilon);
  return problem;
}

// Computes the ratio by report_variance.h, which does not use set_law.h.
double largest_ratio_in(const Task& task, const std::vector<std::string>& texts, Against against) {
  double worst = 0;
  for (const Result<PlannedQuery>& line : plan(task, list_of(task.schema(), texts), {0.01, 0.05})) {
    REQUIRE(line);
    CHECK(line->variance.exact);
    const ReportVariance& variance = line->variance;
    worst = std::max(worst, against == Against::kReporters ? variance.worst_among_reporters : variance.worst);
  }
  return limit_ratio(worst, task.epsilon().approximate());
}

double ratio_with(const char* epsilon, SampledSpec spec, Against against = Against::kPopulation) {
  const Task task = tests::task_over(kMixedShape, epsilon, CharactersSpec{2}, std::move(spec));
  return largest_ratio_in(task, mixed_texts(), against);
}

TEST_CASE("the variance that chooses the weights is the variance of the planned task") {
  for (const char* const epsilon : {"1", "4"}) {
    TaskSpec base = tests::spec_over(kMixedShape, epsilon);
    for (const std::uint32_t bits : {1U, 2U}) {
      const SetProblem problem = mixed_problem(bits, bits, 1, base.epsilon.approximate());
      for (const Against against : {Against::kPopulation, Against::kReporters}) {
        const WeightedSets found = best_set_weights(base, 2, problem, against).value();
        const double ratio = limit_ratio(found.worst, base.epsilon.approximate());
        // Small weights are left out, and each step follows populations to 0.01 %.
        CHECK(ratio_with(epsilon, found.spec, against) == doctest::Approx(ratio).epsilon(5e-3));
      }
    }
  }
}

TEST_CASE("the derivatives by the weights of groups and of multipliers are right") {
  const TaskSpec base = tests::spec_over(kMixedShape, "2");
  const SetProblem problem = mixed_problem(2, 2, 1, 2);
  SampledSpec all{.groups = {}, .group_size = 0, .questions = problem.questions};
  std::vector<std::size_t> sizes;
  for (const std::vector<GroupWeight>& list : problem.groups) {
    all.groups.insert(all.groups.end(), list.begin(), list.end());
    sizes.push_back(list.size());
  }
  const Arrangement arrangement = Arrangement::create(CharactersSpec{2}, base.schema).value();
  const SampledChannel channel = SampledChannel::create(all, arrangement, base.epsilon).value();
  SetLaw law = SetLaw::create(base.schema, problem.questions, problem.alike, Against::kPopulation, true).value();
  for (const WeightedProduct& product : problem.products) REQUIRE(law.add(product.function, product.weight));
  law.set_groups(channel, sizes);
  Eigen::VectorXd weights = law.initial_weights();
  for (Eigen::Index i = 0; i < weights.size(); ++i) weights[i] *= 1 + 0.3 * std::sin(static_cast<double>(i));
  for (int settle = 0; settle < 20; ++settle) law.values(weights);  // until the populations are stable
  const Eigen::VectorXd shares = Eigen::VectorXd::LinSpaced(law.values(weights).size(), 0.2, 1.3);
  const Eigen::VectorXd slopes = law.gradient(shares);
  const double sum = shares.dot(law.values(weights));
  CHECK(law.blocks() == std::vector<Eigen::Index>{static_cast<Eigen::Index>(sizes.size()), 0, 0, 3, 4});
  constexpr double kStep = 0.02;
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    const double step = kStep * weights[i];
    const auto sum_at = [&](double weight) {
      Eigen::VectorXd moved = weights;
      moved[i] = weight;
      for (int settle = 0; settle < 5; ++settle) law.values(moved);
      return shares.dot(law.values(moved));
    };
    const double measured = (sum_at(weights[i] + step) - sum_at(weights[i] - step)) / (2 * step);
    // Values are right to 1e-4, and the difference of two values is divided by 2·kStep.
    CHECK(std::abs(slopes[i] - measured) * weights[i] < 0.01 * std::abs(slopes[i]) * weights[i] + 1e-4 / kStep * sum);
  }
}

// A search that shares only the variances of finished tasks with the planner. The search adds random numbers to the
// logarithms of some of the weights. Steps that help are kept and make the next step longer. Other steps make the next
// step shorter.
class SlowSearch {
 public:
  SlowSearch(const char* epsilon, Against against, SampledSpec start)
      : epsilon_(epsilon), against_(against), best_(std::move(start)) {
    value_ = ratio_with(epsilon_, best_, against_);
  }

  double run(int steps, double length, std::mt19937& engine) {
    std::normal_distribution<double> normal;
    std::bernoulli_distribution some(0.3);
    for (int step = 0; step < steps; ++step) {
      SampledSpec next = best_;
      const auto change = [&](std::uint32_t& weight) {
        if (!some(engine)) return;
        const double changed = weight * std::exp(length * normal(engine));
        weight = static_cast<std::uint32_t>(std::clamp(changed, 1.0, 0x1p29));
      };
      for (GroupWeight& group : next.groups) change(group.weight);
      for (QuestionSpec& questions : next.questions) {
        if (auto* circle = std::get_if<CircleQuestions>(&questions)) {
          for (std::uint32_t& weight : circle->weights) change(weight);
        }
      }
      const double found = ratio_with(epsilon_, next, against_);
      length *= found < value_ ? 1.3 : 0.97;
      if (found >= value_) continue;
      value_ = found;
      best_ = std::move(next);
    }
    return value_;
  }

 private:
  const char* epsilon_;
  Against against_;
  SampledSpec best_;
  double value_;
};

SampledSpec equal_weights(const SetProblem& problem) {
  SampledSpec spec{.groups = {}, .group_size = 0, .questions = problem.questions};
  for (const std::vector<GroupWeight>& list : problem.groups) {
    for (const GroupWeight& group : list) {
      spec.groups.push_back(group);
      spec.groups.back().weight = 1U << 20U;
    }
  }
  return spec;
}

TEST_CASE("in mixed schemas at large epsilon a slow search finds no weights that are better by more than 3 percent") {
  std::mt19937 engine(7);
  for (const char* const epsilon : {"2", "4"}) {
    TaskSpec base = tests::spec_over(kMixedShape, epsilon);
    // A mixture is planned for values, not for cells, and so is the search.
    const Workload list = Mixture{{{list_of(base.schema, mixed_texts()), 1}}};
    const std::vector<Candidate> ranked = candidates(base, list, {0.01, 0.05}).value();
    const auto& spec = std::get<SampledSpec>(ranked.front().task->spec().channel);
    const double of_users = ratio_with(epsilon, spec, Against::kReporters);
    CHECK(of_users < 1.03 * SlowSearch(epsilon, Against::kReporters, spec).run(100, 0.05, engine));
    double planned = 1e9;
    SampledSpec best;
    for (const Candidate& one : ranked) {
      if (!one.plan || one.plan->limit_ratio >= planned) continue;
      planned = one.plan->limit_ratio;
      best = std::get<SampledSpec>(one.task->spec().channel);
    }
    CHECK(planned < 1.03 * SlowSearch(epsilon, Against::kPopulation, best).run(100, 0.05, engine));
    double found = 1e9;
    for (const std::uint32_t bits : {1U, 2U}) {
      for (const std::uint32_t of_ranges : {1U, 2U}) {
        const SetProblem problem = mixed_problem(bits, of_ranges, of_ranges, base.epsilon.approximate());
        SlowSearch search(epsilon, Against::kPopulation, equal_weights(problem));
        found = std::min(found, search.run(100, 1, engine));
      }
    }
    CHECK(planned < 1.03 * found);
    CHECK(found < 2 * planned);  // the search has made progress
  }
}

bool is_together(const Candidate& candidate) {
  return candidate.plan && candidate.name.starts_with("characters, questions and groups together");
}

TEST_CASE("a list costs at most as much as with any single mechanism, and as much as in the schema of its attributes") {
  std::mt19937 engine(11);
  const auto below = [&](int end) { return static_cast<int>(engine() % static_cast<unsigned>(end)); };
  const std::vector<std::string> epsilons{"0.5", "1", "2", "4", "6"};
  const auto condition = [&](int attribute) -> std::string {
    const std::string name = "a" + std::to_string(attribute);
    if (attribute < 2) return name;
    if (attribute == 2) return name + " = v" + std::to_string(below(5));
    const int first = below(5) - 2;
    return name + " in " + std::to_string(first) + ".." + std::to_string(first + below(3));
  };
  for (int round = 0; round < 10; ++round) {
    std::vector<std::string> texts;
    for (int query = 0; query < 4; ++query) {
      const int one = below(5);
      const int other = below(5);
      texts.push_back(one == other ? condition(one) : condition(one) + " and " + condition(other));
    }
    const std::string& epsilon = epsilons[static_cast<std::size_t>(round) % epsilons.size()];
    const auto ranked = [&](const char* shape) {
      const TaskSpec base = tests::spec_over(shape, epsilon);
      return candidates(base, list_of(base.schema, texts), {0.01, 0.05}).value();
    };
    const std::vector<Candidate> list = ranked("b b c5 r8 r10");
    double ratio = 1e18;  // the cost with the jointly planned weights
    double users = 1e18;
    for (const Candidate& one : list) {
      if (!is_together(one)) continue;
      ratio = std::min(ratio, one.plan->limit_ratio);
      users = std::min(users, static_cast<double>(one.plan->users_worst));
    }
    for (const Candidate& one : list) {
      if (!one.plan || one.plan->guarantee != compiler::Guarantee::kWorstCase) continue;
      CHECK(list.front().plan->users_worst <= one.plan->users_worst);
      // The jointly planned weights are near the best of the other plans.
      CHECK_MESSAGE(ratio < 1.07 * one.plan->limit_ratio, one.name);
      CHECK_MESSAGE(users < 1.07 * static_cast<double>(one.plan->users_worst) + 1, one.name);
    }
    const std::vector<Candidate> larger = ranked("b b c5 r8 r10 b r12 c4 b");
    CHECK(static_cast<double>(larger.front().plan->users_worst) <
          1.004 * static_cast<double>(list.front().plan->users_worst) + 1);
  }
}

TEST_CASE("classes of queries cost less with answers of several bits and with groups") {
  const TaskSpec base = tests::spec_over("b c5 r8", "4");
  const std::vector<Candidate> ranked = candidates(base, Conjunctions{2}, {0.01, 0.05}).value();
  CHECK(is_together(ranked.front()));
  double other = 1e9;
  for (const Candidate& one : ranked) {
    if (!one.plan || one.plan->guarantee != compiler::Guarantee::kWorstCase) continue;
    if (!is_together(one)) other = std::min(other, one.plan->limit_ratio);
  }
  CHECK(ranked.front().plan->limit_ratio < 0.6 * other);
}

TEST_CASE("workloads that are not products are left to other mechanisms") {
  const TaskSpec base = tests::spec_over("b b b", "1");
  CHECK(sets_and_questions(base, Functions{2}, {}).empty());
  CHECK(sets_and_questions(base, list_of(base.schema, {"a0 or (a1 and a2)"}), {}).empty());
}

}  // namespace
}  // namespace hearsay::planner
