// Checks that estimates are unbiased and intervals cover on (f,ω,n)-random populations. The tasks have k = 4, 8 or 16
// attributes. The queries are conjunctions of 1 to 3 literals, a decision list and a box. The fractions ω are 0,
// 0.001, 0.5 and 1. Each cell (k, query, fraction) has 24,000 runs of n = 1,000 reports.
//
// The noise of a tally is the sum of n draws of the real sampler. The noise sums of a run serve all queries and
// fractions. Each query and fraction has a population of its own. ε is chosen for scales of 1, 2 and 8. So the
// instance term is a fifth of the variance at k = 4, and the noise is nearly all of the variance at k = 16.
//
// Thresholds for the 60 cells:
// - Coverage is between 94 % and 96 %. Its standard error is 0.141 %. Estimates lie on a lattice of step g/n, which
//   moves the true coverage by at most φ(1.96)·step/sd = 0.14 %. Here g is a weight, φ the normal density and sd the
//   standard deviation. So the nearer end of the band is 6.1 standard errors away. False alarm: below 1e-9 a cell.
// - The mean width is within 3 % of 3.92 standard deviations. The standard error of the measured deviation is
//   1/√(2·24000) = 0.46 %. The instance term is taken at the clamped estimate, which moves the width by less than 0.1
//   %. The rest of the 3 % is 6.3 standard errors. False alarm: 3e-10 a cell.
// - The bias is at most 6.1 of its standard errors. False alarm: 1e-9 a cell.
// - The guaranteed interval covers at least 95 %. Its true coverage is above 99 %.
//
// The sum of the false alarms is below 2e-7. Detected for certain: coverage below 93.2 % or above 96.8 %, widths off
// by 6 %, a bias of 0.08 standard deviations.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/tally/tally.h"
#include "common/privacy/discrete_laplace.h"
#include "tests/statistical/simulation.h"
#include "tests/support/statistics.h"

namespace hearsay::tests {
namespace {

constexpr std::uint32_t kReports = 1000;
constexpr std::size_t kRuns = 24'000;
constexpr std::size_t kTouched = 6;  // no query touches a coordinate beyond the first six

// For each run and coordinate, the sum of the noise of kReports reports.
using NoiseSums = std::vector<std::array<std::int64_t, kTouched>>;

NoiseSums draw_noise(const Task& task, std::size_t coordinates, const std::string& key) {
  CounterBitSource bits(key);
  const DiscreteLaplace law = DiscreteLaplace::create(laplace(task).scale(0)).value();
  NoiseSums sums(kRuns);
  for (auto& run : sums) {
    run.fill(0);
    for (std::size_t j = 0; j < coordinates; ++j) {
      for (std::uint32_t i = 0; i < kReports; ++i) run[j] += law.sample(bits);
    }
  }
  return sums;
}

Score simulate(const Task& task, const Query& query, const compiler::LinearQuery& linear, std::uint32_t ones,
               const NoiseSums& noise) {
  RandomPopulation population(task, query);
  CounterBitSource seed(query.to_string(task.schema()) + " " + std::to_string(ones));
  PopulationRandom random(seed.bits(64));
  Score score(static_cast<double>(ones) / kReports);
  for (const auto& sums : noise) {
    tally::LaplaceTally tally(laplace(task).coordinates());
    tally.reports = kReports;
    population.add_embeddings(ones, kReports - ones, random, tally.sum);
    for (std::size_t j = 0; j < std::min(kTouched, tally.sum.size()); ++j) tally.sum[j] += sums[j];
    score.add(estimator::estimate(task, linear, tally::Tally(std::move(tally)), 0.95).value());
  }
  return score;
}

bool unbiased(const Score& score) { return std::abs(score.bias_in_standard_errors()) < normal_threshold(1e-9); }
bool covers(const Score& score) { return score.coverage() >= 0.94 && score.coverage() <= 0.96; }
bool right_width(const Score& score) {
  return std::abs(score.mean_width() / (2 * 1.959964 * std::sqrt(score.variance())) - 1) < 0.03;
}

void check_query(const Task& task, const std::string& text, const NoiseSums& noise) {
  const Query query = Query::parse(task.schema(), text).value();
  const compiler::LinearQuery linear = compile_query(task, query);
  for (const std::uint32_t ones : {0U, 1U, 500U, 1000U}) {
    const Score score = simulate(task, query, linear, ones, noise);
    INFO(text << ", ω = " << ones << "/1000: coverage " << score.coverage() << ", guaranteed "
              << score.guaranteed_coverage() << ", width/3.92sd "
              << score.mean_width() / (2 * 1.959964 * std::sqrt(score.variance())) << ", bias/se "
              << score.bias_in_standard_errors());
    CHECK(unbiased(score));
    CHECK(covers(score));
    CHECK(right_width(score));
    CHECK(score.guaranteed_coverage() >= 0.95);
  }
}

// The two tasks have the same scale, so they can share the noise sums.
NoiseSums check_all(const Task& booleans, const Task& ranges, const std::string& key) {
  REQUIRE(laplace(booleans).scale(0) == laplace(ranges).scale(0));
  NoiseSums noise = draw_noise(booleans, kTouched, key);
  check_query(booleans, "b0", noise);
  check_query(booleans, "b0 and not b1", noise);
  check_query(booleans, "not b0 and b1 and b2", noise);
  check_query(booleans, "decision_list(b0: yes, not b1: no, b2: yes, b3: no, else: yes)", noise);
  check_query(ranges, "r0 in 1..2 and r1 in 0..1", noise);
  return noise;
}

TEST_CASE("intervals cover at k = 4 and scale 1, and the checks notice planted errors") {
  const Task booleans = boolean_task(4, "8");
  const NoiseSums noise = check_all(booleans, range_task(4, "24"), "coverage 4");

  const Query query = Query::parse(booleans.schema(), "b0 and not b1").value();
  // Planted: the instance term is left out. At ω = 0 this term is a fifth of the variance, and a tenth of the width.
  compiler::LinearQuery forgetful = compile_query(booleans, query);
  forgetful.class_variance = {0, 0};
  const Score narrow = simulate(booleans, query, forgetful, 0, noise);
  CHECK(unbiased(narrow));
  CHECK_FALSE(right_width(narrow));
  CHECK_FALSE(covers(narrow));
  // Planted: weights that are 1 % too large.
  compiler::LinearQuery steep = compile_query(booleans, query);
  for (compiler::LinearQuery::Weight& weight : steep.weights) weight.value *= 1.01;
  CHECK_FALSE(unbiased(simulate(booleans, query, steep, 1000, noise)));
}

TEST_CASE("intervals cover at k = 8 and scale 2") {
  check_all(boolean_task(8, "8"), range_task(8, "24"), "coverage 8");
}

TEST_CASE("intervals cover at k = 16 and scale 8") {
  check_all(boolean_task(16, "4"), range_task(16, "12"), "coverage 16");
}

}  // namespace
}  // namespace hearsay::tests
