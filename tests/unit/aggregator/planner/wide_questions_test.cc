#include "aggregator/planner/wide_questions.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "aggregator/planner/arc_weights.h"
#include "aggregator/planner/level_weights.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/product_class.h"
#include "aggregator/planner/smooth_maximum.h"
#include "common/channel/questions.h"
#include "hearsay/query.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

struct AnswerSums {
  Eigen::VectorXd truth;  // for each value, the mean of t² over true answers, where t is the score
  double uniform;         // the mean of t² over uniform answers
  double mean;
};

AnswerSums moments(const Questions& questions, const Eigen::VectorXd& function) {
  const std::uint32_t values = questions.values();
  const std::uint32_t answers = questions.answers();
  const auto chance = [&](std::uint32_t q) {
    const Questions::Member& member = questions.member_of(q);
    return static_cast<double>(member.weight) / member.count / static_cast<double>(questions.total_weight());
  };
  Eigen::MatrixXd law = Eigen::MatrixXd::Constant(values, values, -1);
  for (std::uint32_t q = 0; q < questions.count(); ++q) {
    for (std::uint32_t x = 0; x < values; ++x) {
      for (std::uint32_t y = 0; y < values; ++y) {
        if (questions.answer(q, x) == questions.answer(q, y)) law(x, y) += chance(q) * answers;
      }
    }
  }
  const double mean = function.mean();
  const Eigen::VectorXd h = law.completeOrthogonalDecomposition().solve((function.array() - mean).matrix());
  REQUIRE((law * h - (function.array() - mean).matrix()).norm() < 1e-9);
  AnswerSums result{Eigen::VectorXd::Zero(values), 0, mean};
  for (std::uint32_t q = 0; q < questions.count(); ++q) {
    Eigen::VectorXd scores = Eigen::VectorXd::Constant(answers, -h.sum());
    for (std::uint32_t x = 0; x < values; ++x) scores[questions.answer(q, x)] += answers * h[x];
    result.uniform += chance(q) * scores.squaredNorm() / answers;
    for (std::uint32_t x = 0; x < values; ++x) {
      const double score = scores[questions.answer(q, x)];
      result.truth[x] += chance(q) * score * score;
    }
  }
  return result;
}

double largest_ratio(const AnswerSums& of, const Eigen::VectorXd& function, double epsilon, std::uint32_t bits) {
  const double gamma = truth_of(epsilon, bits);
  const Eigen::ArrayXd second = (gamma * of.truth.array() + (1 - gamma) * of.uniform) / (gamma * gamma);
  double worst = 0;
  for (Eigen::Index x = 0; x < second.size(); ++x) {
    for (Eigen::Index y = 0; y < second.size(); ++y) {
      constexpr int kParts = 2000;
      for (int i = 0; i <= kParts; i += x == y ? kParts : 1) {
        const double part = static_cast<double>(i) / kParts;
        const double fraction = part * function[x] + (1 - part) * function[y];
        worst = std::max(worst, part * second[x] + (1 - part) * second[y] - std::pow(fraction - of.mean, 2));
      }
    }
  }
  return limit_ratio(worst, epsilon);
}

Eigen::VectorXd range_vector(std::uint32_t values, std::uint32_t first, std::uint32_t last) {
  Eigen::VectorXd range = Eigen::VectorXd::Zero(values);
  range.segment(first, last - first).setOnes();
  return range;
}

Eigen::VectorXd shares_of(const std::vector<std::uint32_t>& weights) {
  Eigen::VectorXd shares(static_cast<Eigen::Index>(weights.size()));
  for (std::size_t i = 0; i < weights.size(); ++i) shares[static_cast<Eigen::Index>(i)] = weights[i];
  return shares / shares.sum();
}

double worst_length(const CircleQuestions& of, double epsilon) {
  std::vector<std::uint32_t> lengths(of.places / 2);
  std::iota(lengths.begin(), lengths.end(), 1U);
  ArcLaw law(of.places, of.bits, truth_of(epsilon, of.bits), of.multipliers, epsilon, lengths);
  return law.values(shares_of(of.weights)).maxCoeff();
}

double worst_of_levels(std::uint32_t values, const PlannedLevels& levels, double epsilon) {
  std::vector<std::uint32_t> sets;
  for (const std::vector<std::uint32_t>& set : levels.questions.levels) {
    sets.push_back(
        std::accumulate(set.begin(), set.end(), 0U, [](auto mask, auto level) { return mask | 1U << level; }));
  }
  const auto bits = static_cast<std::uint32_t>(std::popcount(sets.front()));
  LevelLaw law(values, truth_of(epsilon, bits), sets, epsilon, all_ranges(values));
  return law.values(shares_of(levels.questions.weights)).maxCoeff();
}

WorstQuery worst_in_task(const std::string& shape, const std::string& epsilon, const SampledSpec& spec,
                         std::uint32_t ranges) {
  const Task task = tests::task_over(shape, epsilon, CharactersSpec{ranges}, spec);
  const Result<WorstQuery> worst = worst_product(task, {integer_ranges(task.schema()), ranges, Indicators::kRanges});
  REQUIRE_MESSAGE(worst, (worst ? "" : worst.error().message));
  CHECK(worst->variance.exact);
  return *worst;
}

template <typename Law>
void check_gradient(Law& law, const Eigen::VectorXd& weights) {
  const Eigen::VectorXd values = law.values(weights);
  const Eigen::VectorXd shares = Eigen::VectorXd::LinSpaced(values.size(), 0.2, 1.3);
  const Eigen::VectorXd slopes = law.gradient(shares);
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    constexpr double kStep = 1e-6;
    Eigen::VectorXd moved = weights;
    moved[i] += kStep;
    const double above = shares.dot(law.values(moved));
    moved[i] -= 2 * kStep;
    const double below = shares.dot(law.values(moved));
    CHECK(slopes[i] == doctest::Approx((above - below) / (2 * kStep)).epsilon(1e-4));
  }
}

TEST_CASE("the variance of arcs agrees with sums over all questions and answers") {
  // 8 places are cut into 4 equal arcs, and 10 places into 4 unequal arcs.
  for (const std::uint32_t values : {8U, 10U}) {
    const CircleQuestions circle{values, 2, {1, 2, 3, 4}, {5, 2, 3, 1}};
    const Questions questions = Questions::create(circle, values).value();
    const double epsilon = 1.5;
    std::vector<std::uint32_t> lengths(values / 2);
    std::iota(lengths.begin(), lengths.end(), 1U);
    ArcLaw law(values, 2, truth_of(epsilon, 2), circle.multipliers, epsilon, lengths);
    const Eigen::VectorXd ratios = law.values(shares_of(circle.weights));
    for (const std::uint32_t length : lengths) {
      for (const std::uint32_t first : {0U, 1U}) {
        const Eigen::VectorXd range = range_vector(values, first, first + length);
        const double expected = largest_ratio(moments(questions, range), range, epsilon, 2);
        CHECK(ratios[length - 1] == doctest::Approx(expected).epsilon(1e-5));
      }
    }
    check_gradient(law, shares_of(circle.weights));
  }
}

TEST_CASE("the variance of levels agrees with sums over all questions and answers") {
  const LevelQuestions levels{{{0, 1}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, {4, 1, 2, 3, 5}};
  const std::vector<std::uint32_t> sets{3, 9, 6, 10, 12};
  const Questions questions = Questions::create(levels, 16).value();
  const double epsilon = 2.5;
  std::vector<ValueRange> ranges;
  for (std::uint32_t first = 0; first < 16; first += 3) {
    for (std::uint32_t last = first + 1; last <= 16; last += 2) {
      if (last - first < 16) ranges.push_back({first, last});
    }
  }
  LevelLaw law(16, truth_of(epsilon, 2), sets, epsilon, ranges);
  const Eigen::VectorXd ratios = law.values(shares_of(levels.weights));
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const Eigen::VectorXd range = range_vector(16, ranges[r].first, ranges[r].last);
    const double expected = largest_ratio(moments(questions, range), range, epsilon, 2);
    CHECK(ratios[static_cast<Eigen::Index>(r)] == doctest::Approx(expected).epsilon(1e-5));
  }
  check_gradient(law, shares_of(levels.weights));
}

TEST_CASE(
    "ranges of 64, 256 and 1,024 values cost at most 14.2 times the one-query limit at epsilon 4, and 38 times at "
    "epsilon 2") {
  struct Bound {
    std::uint32_t values;
    std::uint32_t bits;
    double epsilon;
    double ratio;
  };
  for (const Bound& bound : {Bound{64, 3, 2, 12}, Bound{256, 3, 2, 21}, Bound{1024, 3, 2, 38}, Bound{64, 5, 4, 4.4},
                             Bound{256, 5, 4, 8.8}, Bound{1024, 5, 4, 14.2}}) {
    const Result<RangeQuestions> plan = range_questions(bound.values, bound.epsilon);
    REQUIRE(plan);
    REQUIRE(plan->bits == bound.bits);
    const auto& circle = std::get<CircleQuestions>(plan->questions);
    CHECK(worst_length(circle, bound.epsilon) <= bound.ratio);
  }
  for (const Bound& bound : {Bound{64, 4, 4, 4.4}, Bound{64, 5, 4, 4}, Bound{256, 5, 4, 8.8}}) {
    const Result<PlannedLevels> levels = plan_levels(bound.values, bound.bits, bound.epsilon, bound.bits);
    REQUIRE(levels);
    const double worst = worst_of_levels(bound.values, *levels, bound.epsilon);
    CHECK(worst <= bound.ratio);
    CHECK(worst == doctest::Approx(levels->limit_ratio).epsilon(1e-3));
  }
}

TEST_CASE("tasks that are made from a plan have the planned variances") {
  for (const auto& [shape, epsilon, bound] : {std::tuple("r64", "2", 12.0), std::tuple("r64", "4", 4.4),
                                              std::tuple("r50", "4", 4.4), std::tuple("r64", "1", 16.0)}) {
    const double e = std::stod(epsilon);
    const auto proposals = wide_questions(tests::schema_of(shape), Ranges{}, e);
    REQUIRE(proposals.size() == 1);
    const WorstQuery worst = worst_in_task(shape, epsilon, proposals.front().spec, 1);
    const double ratio = limit_ratio(worst.variance.worst, e);
    CHECK(ratio <= bound);
    const auto& circle = std::get<CircleQuestions>(proposals.front().spec.questions.front());
    CHECK(ratio == doctest::Approx(worst_length(circle, e)).epsilon(1e-6));
  }
}

TEST_CASE("boxes on two attributes take at most 70 times the one-query limit if reports ask about both together") {
  const auto proposals = wide_questions(tests::schema_of("r64 r64"), Boxes{2}, 4);
  REQUIRE(proposals.size() == 2);  // the second proposal has questions about the values
  const WorstQuery worst = worst_in_task("r64 r64", "4", proposals.front().spec, 2);
  CHECK(limit_ratio(worst.variance.worst, 4) <= 70);
}

TEST_CASE("a report asks about one of several ordered attributes, each as often as its cost demands") {
  const auto proposals = wide_questions(tests::schema_of("b r64 r50"), Ranges{}, 2);
  REQUIRE(proposals.size() == 1);
  const SampledSpec& spec = proposals.front().spec;
  REQUIRE(spec.groups.size() == 2);
  const WorstQuery worst = worst_in_task("b r64 r50", "2", spec, 1);
  // The worst variance is the sum of the attributes' costs alone, up to terms below 3.
  const double together = range_questions(64, 2)->limit_ratio + range_questions(50, 2)->limit_ratio;
  CHECK(limit_ratio(worst.variance.worst, 2) <= together + 3);
  CHECK(limit_ratio(worst.variance.worst, 2) >= together - 3);
  CHECK(wide_questions(tests::schema_of("b r64 r50"), Means{}, 2).front().spec == spec);
  CHECK(wide_questions(tests::schema_of("r64 r64"), Functions{2}, 2).empty());
}

TEST_CASE("with very many values all levels are asked equally often, and a range costs as much as estimated") {
  const Schema schema = tests::schema_of("r1000000");
  const std::vector<Query> queries{Query::parse(schema, "a0 >= 300000").value(),
                                   // Both ends of this range cut a node of every level.
                                   Query::parse(schema, "a0 in 349525..699050").value()};
  const auto proposals = wide_questions(schema, queries, 1);
  REQUIRE(proposals.size() == 1);
  const Task task = tests::task_over("r1000000", "1", CharactersSpec{1}, proposals.front().spec);
  const double estimated = range_questions(1'000'000, 1)->limit_ratio;
  const auto lines = plan(task, queries, {.alpha = 0.01, .beta = 0.05});
  for (const auto& line : lines) {
    REQUIRE(line);
    CHECK(line->limit_ratio <= 1.05 * estimated);
  }
  CHECK(lines.back()->limit_ratio >= 0.9 * estimated);
}

}  // namespace
}  // namespace hearsay::planner
