// Compares the planner's variance with its definition, over all groups, all answers and a grid of populations.
#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/compiler/compile.h"
#include "aggregator/planner/report_variance.h"
#include "aggregator/tails/paper.h"
#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"
#include "tests/support/group_law.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

compiler::LinearQuery compiled(const Task& task, const Query& query) {
  compiler::Work work;
  return compiler::compile(task, query, work).value().linear;
}

// Returns the variance of the estimate times the number n of people drawn from `population`, which has a weight for
// each record of the universe.
double variance_by_enumeration(const Task& task, const compiler::LinearQuery& linear,
                               const std::vector<Record>& universe, const std::vector<double>& population) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  const auto pick = [&](std::uint64_t group) {
    return static_cast<double>(channel.class_of(group).weight) / static_cast<double>(channel.total_weight()) *
           tests::chance_within_class(task.schema(), std::get<SampledSpec>(task.spec().channel), channel, group);
  };
  std::vector<double> information(channel.dimension(), 0.0);
  std::vector<SampledChannel::Covered> covered;
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const auto& group_class = channel.class_of(group);
    channel.covered(group, covered);
    for (const auto& c : covered) {
      information[c.coordinate] += pick(group) * std::pow(channel.gamma(group_class), 2);
    }
  }
  std::vector<double> weight(channel.dimension(), 0.0);
  for (const auto& w : linear.weights) weight[w.coordinate] = w.value;

  double variance = 0;
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const auto& group_class = channel.class_of(group);
    const double gamma = channel.gamma(group_class);
    const auto answers = std::uint32_t{1} << group_class.width;
    channel.covered(group, covered);
    double mean = 0;
    double square = 0;
    for (std::uint32_t answer = 0; answer < answers; ++answer) {
      double phi = 0;
      for (const auto& c : covered) {
        const int sign = __builtin_popcount(answer & c.answer_mask) % 2 == 0 ? 1 : -1;
        phi += gamma * sign * weight[c.coordinate] / information[c.coordinate];
      }
      for (std::size_t x = 0; x < universe.size(); ++x) {
        const double probability =
            population[x] * ((1 - gamma) / answers + (channel.true_value(group, universe[x]) == answer ? gamma : 0));
        mean += probability * phi;
        square += probability * phi * phi;
      }
    }
    variance += pick(group) * (square - mean * mean);
  }
  return variance;
}

SampledSpec mixed_groups() {
  return {.groups = {
              {GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 3}, {GroupKind::kRaw, 3, 2}, {GroupKind::kEven, 3, 2}}};
}

TEST_CASE("characters: no population exceeds the worst variance, and one population attains it") {
  for (const char* epsilon : {"1", "4"}) {
    const Task task = tests::task_over("b b b b", epsilon, CharactersSpec{2}, mixed_groups());
    const auto universe = tests::all_records(task.schema());
    for (const char* text : {"a0", "a0 and a1", "a0 or not a2", "(a1 and not a3) or (not a1 and a3)"}) {
      CAPTURE(text);
      const Query query = Query::parse(task.schema(), text).value();
      const compiler::LinearQuery linear = compiled(task, query);
      const ReportVariance stated = report_variance(task, query, linear);
      const std::vector<double> uniform(universe.size(), 1.0 / static_cast<double>(universe.size()));
      CHECK(variance_by_enumeration(task, linear, universe, uniform) == doctest::Approx(stated.average).epsilon(1e-9));

      double largest = 0;
      double largest_among_reporters = 0;
      // Makes all mixtures of the four joint values of two attributes, in sixteenths. The other attributes are
      // constant.
      const auto touched = query.attributes();
      const std::uint32_t first = touched[0];
      const std::uint32_t second = touched.size() > 1 ? touched[1] : (first + 1) % 4;
      constexpr int kSteps = 16;
      for (int a = 0; a <= kSteps; ++a) {
        for (int b = 0; a + b <= kSteps; ++b) {
          for (int c = 0; a + b + c <= kSteps; ++c) {
            const double parts[4] = {a / 16.0, b / 16.0, c / 16.0, (kSteps - a - b - c) / 16.0};
            std::vector<double> population(universe.size(), 0.0);
            double omega = 0;
            for (std::size_t x = 0; x < universe.size(); ++x) {
              bool others_zero = true;
              for (std::uint32_t i = 0; i < 4; ++i) others_zero &= i == first || i == second || universe[x][i] == 0;
              if (!others_zero) continue;
              population[x] = parts[2 * universe[x][first] + universe[x][second]];
              omega += query.evaluate(universe[x]) ? population[x] : 0;
            }
            const double variance = variance_by_enumeration(task, linear, universe, population);
            largest = std::max(largest, variance);
            largest_among_reporters = std::max(largest_among_reporters, variance - omega * (1 - omega));
          }
        }
      }
      CHECK(largest <= stated.worst * (1 + 1e-9));
      CHECK(largest >= stated.worst * 0.995);
      CHECK(largest_among_reporters <= stated.worst_among_reporters * (1 + 1e-9));
      CHECK(largest_among_reporters >= stated.worst_among_reporters * 0.995);
    }
  }
}

// On literals a pair of 16 booleans has the weight 3/8 on two coordinates. One report in 16 asks about each coordinate,
// with the variance c². So the variance is 2·(9/64)·16·c² = 18·c²/4. The means of a random database reduce this
// variance by less than c²·γ⁴.
TEST_CASE("literals: pairs of 16 booleans take 18 times the one-query limit") {
  const Task task =
      tests::task_over(tests::booleans(16), "1", LiteralsSpec{}, SampledSpec{.groups = {}, .group_size = 1});
  const Query query = Query::parse(task.schema(), "a0 and a1").value();
  const ReportVariance stated = report_variance(task, query, compiled(task, query));
  CHECK(stated.average / tails::one_query_limit(1) == doctest::Approx(18).epsilon(1e-9));
  CHECK(stated.worst / tails::one_query_limit(1) <= 18 * (1 + 1e-9));
  CHECK(stated.worst / tails::one_query_limit(1) >= 18 - 0.5);
  CHECK(stated.worst_among_reporters < stated.worst);
}

TEST_CASE("literals in larger groups: the variance over random databases is right for every fraction") {
  const Task task = tests::task_over("b b c3", "2", LiteralsSpec{}, SampledSpec{.groups = {}, .group_size = 2});
  const auto universe = tests::all_records(task.schema());
  const Query query = Query::parse(task.schema(), "a0 and (a1 or a2 = v1)").value();
  const compiler::LinearQuery linear = compiled(task, query);
  double members[2] = {0, 0};
  for (const Record& record : universe) members[query.evaluate(record) ? 1 : 0] += 1;
  double largest = 0;
  for (int step = 0; step <= 100; ++step) {
    const double omega = step / 100.0;
    std::vector<double> population;
    for (const Record& record : universe) {
      population.push_back(query.evaluate(record) ? omega / members[1] : (1 - omega) / members[0]);
    }
    largest = std::max(largest, variance_by_enumeration(task, linear, universe, population));
  }
  const ReportVariance stated = report_variance(task, query, linear);
  CHECK(largest <= stated.worst * (1 + 1e-9));
  CHECK(largest >= stated.worst * 0.998);
}

TEST_CASE("the influence comes from the answer that changes the value most") {
  const Task task = tests::task_over("b b b", "1", CharactersSpec{2},
                                     SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 1}}});
  const Query query = Query::parse(task.schema(), "a0 and a1").value();
  const ReportVariance stated = report_variance(task, query, compiled(task, query));
  // The weights are ±1/4 on all three coordinates, and one report in six asks about each. So the influence is
  // 2·γ·(1/4)/(γ²/6) = 3/γ.
  const double gamma = std::tanh(0.5);
  CHECK(stated.influence == doctest::Approx(3 / gamma).epsilon(1e-9));
}

TEST_CASE("for queries on many values the variance is an upper bound, and for singles the bound is exact") {
  const SampledSpec singles{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 2}}};
  const Task task = tests::task_over("r64 r64 b", "1", CharactersSpec{2}, singles);
  const Query query = Query::parse(task.schema(), "a0 >= 10 and a1 < 20").value();
  const ReportVariance stated = report_variance(task, query, compiled(task, query));
  CHECK(stated.worst == doctest::Approx(stated.average).epsilon(1e-9));
}

}  // namespace
}  // namespace hearsay::planner
