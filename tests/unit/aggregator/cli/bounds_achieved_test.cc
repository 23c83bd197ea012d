// Compares the exact laws of one and two reports with the bounds. No channel of the project may beat bounds that hold
// for all schemes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/bounds/class_bounds.h"
#include "aggregator/bounds/named_class.h"
#include "aggregator/planner/candidates.h"
#include "aggregator/planner/strategy_design.h"
#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"
#include "tests/support/group_law.h"
#include "tests/support/small_domains.h"

namespace hearsay {
namespace {

using Law = std::vector<std::vector<double>>;

Law sampled_law(const Task& task, const SampledChannel& channel, const std::vector<Record>& records) {
  const auto& spec = std::get<SampledSpec>(task.spec().channel);
  Law law(records.size());
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const SampledChannel::GroupClass& group_class = channel.class_of(group);
    const double chance = static_cast<double>(group_class.weight) / static_cast<double>(channel.total_weight()) *
                          tests::chance_within_class(task.schema(), spec, channel, group);
    const double gamma = std::ldexp(static_cast<double>(group_class.gamma), -64);
    for (std::size_t x = 0; x < records.size(); ++x) {
      const std::uint32_t value = channel.true_value(group, records[x]);
      for (std::uint32_t n = 0; n < group_class.answers; ++n) {
        const double truth = channel.nth_answer(group, n) == value ? gamma : 0;
        law[x].push_back(chance * (truth + (1 - gamma) / group_class.answers));
      }
    }
  }
  return law;
}

Law strategy_law(const StrategyChannel& channel, const std::vector<Record>& records) {
  Law law(records.size());
  for (std::size_t x = 0; x < records.size(); ++x) {
    for (std::uint32_t k = 0; k < channel.outputs(); ++k) {
      law[x].push_back(std::ldexp(channel.entry(channel.number_of(records[x]), k), -32));
    }
  }
  return law;
}

// Returns the law of a report of `laplace`, on a grid that leaves out at most 2e-6 of the probability.
Law laplace_law(const Task& task, const LaplaceChannel& channel, const std::vector<Record>& records) {
  std::vector<std::int8_t> embedding(task.arrangement().dimension());
  Law law;
  for (const Record& record : records) {
    task.arrangement().encode(record, embedding);
    std::vector<double> joint{1};
    for (std::size_t j = 0; j < embedding.size(); ++j) {
      const double scale = channel.scale(j).approximate();
      const int reach = static_cast<int>(14 * scale) + 1 + channel.largest_entry();
      std::vector<double> longer;
      for (const double before : joint) {
        for (int y = -reach; y <= reach; ++y) {
          longer.push_back(before * std::tanh(0.5 / scale) * std::exp(-std::abs(y - embedding[j]) / scale));
        }
      }
      joint = std::move(longer);
    }
    law.push_back(std::move(joint));
  }
  return law;
}

std::vector<double> twice(const std::vector<double>& p) {
  std::vector<double> both;
  for (const double first : p) {
    for (const double second : p) both.push_back(first * second);
  }
  return both;
}

double difference(const std::vector<double>& p, const std::vector<double>& q) {
  double sum = 0;
  for (std::size_t z = 0; z < p.size(); ++z) sum += std::abs(p[z] - q[z]) / 2;
  return sum;
}

struct Achieved {
  std::vector<double> one;  // the statistical difference of one report, for each query
  std::vector<double> two;  // the statistical difference of two reports, empty if there are too many reports
};

Achieved achieved(const bounds::SignMatrix& matrix, const Law& law) {
  Achieved result;
  for (std::size_t f = 0; f < matrix.columns(); ++f) {
    std::vector<double> mean[2] = {std::vector<double>(law[0].size(), 0), std::vector<double>(law[0].size(), 0)};
    const double yes = static_cast<double>(matrix.satisfying(f));
    for (std::size_t x = 0; x < matrix.rows(); ++x) {
      const int side = matrix(x, f) == 1 ? 1 : 0;
      const double share = side == 1 ? yes : static_cast<double>(matrix.rows()) - yes;
      for (std::size_t z = 0; z < law[x].size(); ++z) mean[side][z] += law[x][z] / share;
    }
    result.one.push_back(difference(mean[0], mean[1]));
    constexpr std::size_t kMostReports = 150;
    if (law[0].size() <= kMostReports) result.two.push_back(difference(twice(mean[0]), twice(mean[1])));
  }
  return result;
}

double weighted(const std::vector<double>& values, const std::vector<double>& weights, double power) {
  double sum = 0;
  for (std::size_t f = 0; f < values.size(); ++f) sum += weights[f] * std::pow(values[f], power);
  return sum;
}

double share_above(const std::vector<double>& values, const std::vector<double>& weights, double bound) {
  double share = 0;
  for (std::size_t f = 0; f < values.size(); ++f) share += values[f] > bound * (1 + 1e-9) ? weights[f] : 0;
  return share;
}

// Returns the achieved statistical difference, divided by expected_difference().
double check_law(const bounds::SignMatrix& matrix, const bounds::ClassBounds& bounds, const Law& law, double epsilon) {
  for (const std::vector<double>& of_record : law) {
    CHECK(std::accumulate(of_record.begin(), of_record.end(), 0.0) == doctest::Approx(1).epsilon(1e-5));
  }
  const Achieved found = achieved(matrix, law);
  const double forster = bounds.class_forster.low;
  const std::vector<double>& weights = bounds.class_forster.weights;
  const double ratio = weighted(found.one, weights, 1) / bounds::expected_difference(1, epsilon, forster);
  CHECK(ratio <= 1 + 1e-9);
  CHECK(weighted(found.one, weights, 2) <= bounds::expected_square(1, epsilon, forster) * (1 + 1e-9));
  if (!found.two.empty()) {
    CHECK(weighted(found.two, weights, 1) <= bounds::expected_difference(2, epsilon, forster) * (1 + 1e-9));
    CHECK(weighted(found.two, weights, 2) <= bounds::expected_square(2, epsilon, forster) * (1 + 1e-9));
  }
  if (bounds.imbalance == 0) {
    const double bound = bounds::theorem3_difference(1, epsilon, bounds.forster.low);
    CHECK(share_above(found.one, bounds.forster.weights, bound) <= 1.0 / 8);
  }
  const double bound = bounds::theorem4_difference(1, epsilon, bounds.forster.low, bounds.imbalance);
  CHECK(share_above(found.one, bounds.forster.weights, bound) <= 1.0 / 8);
  return ratio;
}

// Returns a task with small integer vectors for the records of the class and for its first query.
TaskSpec explicit_task(const bounds::NamedClass& named, const TaskSpec& base, std::uint32_t dimension, int largest) {
  tests::CounterBitSource bits("vectors " + base.epsilon.to_string() + std::to_string(dimension));
  ExplicitSpec vectors{dimension, {}, {{named.queries.front().to_string(named.schema), {}}}};
  for (std::uint64_t i = 0; i < named.matrix.rows() * dimension; ++i) {
    const auto step = static_cast<int>(bits.bits(32) % static_cast<std::uint64_t>(2 * largest + 1));
    vectors.records.push_back(static_cast<std::int8_t>(step - largest));
  }
  vectors.records.front() = static_cast<std::int8_t>(largest);  // so not all vectors are alike
  vectors.records[dimension] = static_cast<std::int8_t>(-largest);
  vectors.queries.front().vector.assign(dimension, 1);
  TaskSpec spec = base;
  spec.arrangement = std::move(vectors);
  return spec;
}

const std::vector<bounds::ClassSpec>& classes() {
  static const std::vector<bounds::ClassSpec> specs = {
      {"monomials", 1, {}, 2}, {"monomials", 2, {}, 2}, {"monomials", 3, 2, 2},  {"clauses", 3, {}, 2},
      {"parities", 1, {}, 2},  {"parities", 2, {}, 2},  {"parities", 3, {}, 2},  {"decision-lists", 2, {}, 2},
      {"boxes", 1, {}, 4},     {"boxes", 2, {}, 2},     {"thresholds", 1, {}, 6}};
  return specs;
}

TEST_CASE("no mechanism that the planner knows exceeds the bounds, for a class of each name") {
  std::size_t laws = 0;
  double largest = 0;
  for (const bounds::ClassSpec& spec : classes()) {
    const bounds::NamedClass named = bounds::make_class(spec).value();
    const std::vector<Record> records = tests::all_records(named.schema);
    for (const char* text : {"0.5", "2"}) {
      const Epsilon epsilon = Epsilon::parse(text).value();
      const bounds::ClassBounds bounds = bounds::bounds_of(named.matrix, epsilon.approximate(), 0.05).value();
      const TaskSpec base{"", named.schema, LiteralsSpec{}, LaplaceSpec{}, epsilon, 0, 3600, 3600};
      const auto list = planner::candidates(base, named.queries, {0.5, 0.05}).value();
      for (const planner::Candidate& candidate : list) {
        if (!candidate.task) continue;
        const Task& task = *candidate.task;
        CAPTURE(spec.name);
        CAPTURE(candidate.name);
        if (const auto* sampled = std::get_if<SampledChannel>(&task.channel().kind())) {
          constexpr std::uint64_t kMostGroups = 2000;
          if (sampled->groups() > kMostGroups) continue;
          largest = std::max(
              largest, check_law(named.matrix, bounds, sampled_law(task, *sampled, records), epsilon.approximate()));
          ++laws;
          // The planner's number of users is at least the number that every scheme needs.
          if (candidate.plan && candidate.plan->near_normal) {
            CHECK(static_cast<double>(candidate.plan->users_worst) >= std::floor(bounds.needed.most()));
          }
        } else if (const auto* laplace = std::get_if<LaplaceChannel>(&task.channel().kind());
                   laplace != nullptr && laplace->coordinates() == task.arrangement().dimension() &&
                   laplace->coordinates() <= 2) {
          largest = std::max(
              largest, check_law(named.matrix, bounds, laplace_law(task, *laplace, records), epsilon.approximate()));
          ++laws;
        }
      }
    }
  }
  CHECK(laws >= 40);
  CHECK(largest > 0.3);  // fails if the bounds are several times larger than achieved
}

TEST_CASE("neither strategies for the class nor explicit vectors exceed the bounds") {
  double of_strategies = 0;
  std::size_t vectors = 0;
  for (const bounds::ClassSpec& spec : classes()) {
    CAPTURE(spec.name);
    const bounds::NamedClass named = bounds::make_class(spec).value();
    const std::vector<Record> records = tests::all_records(named.schema);
    for (const char* text : {"0.5", "2"}) {
      CAPTURE(text);
      const Epsilon epsilon = Epsilon::parse(text).value();
      const bounds::ClassBounds bounds = bounds::bounds_of(named.matrix, epsilon.approximate(), 0.05).value();
      const TaskSpec base{"", named.schema, LiteralsSpec{}, LaplaceSpec{}, epsilon, 0, 3600, 3600};
      const auto others = planner::candidates(base, named.queries, {0.5, 0.05}).value();
      const planner::Candidate made =
          planner::strategy_candidate(base, named.queries, {0.5, 0.05}, others, [](const std::string&) {}).value();
      REQUIRE(made.plan);
      const auto& channel = std::get<StrategyChannel>(made.task->channel().kind());
      of_strategies = std::max(of_strategies,
                               check_law(named.matrix, bounds, strategy_law(channel, records), epsilon.approximate()));
      if (made.plan->near_normal) {
        CHECK(static_cast<double>(made.plan->users_worst) >= std::floor(bounds.needed.most()));
      }
      for (const std::uint32_t dimension : {1U, 2U}) {
        const auto task = Task::create(explicit_task(named, base, dimension, dimension == 1 ? 5 : 1));
        REQUIRE(task);
        const auto& laplace = std::get<LaplaceChannel>(task->channel().kind());
        if (laplace.coordinates() != dimension) continue;
        check_law(named.matrix, bounds, laplace_law(*task, laplace, records), epsilon.approximate());
        ++vectors;
      }
    }
  }
  CHECK(of_strategies > 0.3);
  CHECK(vectors >= 40);
}

}  // namespace
}  // namespace hearsay
