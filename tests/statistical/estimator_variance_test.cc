// Compares the variance of estimates with the stated variance and with the table in the design. Reports go through the
// device's own code (embed, randomize, pack) and the aggregator's (unpack, tally, estimate).
//
// A variance from R runs has the relative standard error √((2+κ)/R), where κ is the estimate's excess kurtosis. An
// estimate has 10 reports of 2 or 3 noisy coordinates, so κ <= 3/(2·10). With R = 40,000 runs the standard error is
// 0.73 %. The allowed 5 % are 6.8 standard errors. After the rounding of the table's numbers (0.4 %), 6.3 standard
// errors remain. The false alarm is 3e-10 for each of 12 checks. Detected for certain: a variance that is off by 10 %,
// or a scale that is off by 5 %.
#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/tails/paper.h"
#include "aggregator/tally/tally.h"
#include "tests/statistical/simulation.h"
#include "tests/support/statistics.h"

namespace hearsay::tests {
namespace {

constexpr std::uint64_t kRuns = 40'000;
constexpr std::uint32_t kReports = 10;
constexpr double kTolerance = 0.05;

// Makes kRuns tallies of kReports reports each. Half of the reporters satisfy the query. `randomize` makes a payload
// from a record.
template <class Randomize>
Score simulate(const Task& task, const Query& query, Randomize randomize) {
  RandomPopulation population(task, query);
  PopulationRandom random(20);
  const compiler::LinearQuery linear = compile_query(task, query);
  Score score(0.5);
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    tally::Tally tally = tally::Tally::empty(task.channel());
    for (std::uint32_t i = 0; i < kReports; ++i) {
      const auto payload = randomize(population.draw(i < kReports / 2, random));
      if (!tally.add(task.channel(), payload)) FAIL("a report of an honest client was refused");
    }
    score.add(estimator::estimate(task, linear, tally, 0.95).value());
  }
  return score;
}

bool variance_as_stated(const Score& score) {
  return std::abs(score.variance() / score.mean_stated_variance() - 1) < kTolerance;
}

bool variance_in_limits(const Score& score, double limits) {
  return std::abs(kReports * score.variance() / tails::one_query_limit(1) / limits - 1) < kTolerance;
}

void check_pairs(int k, LaplaceCalibration calibration, double limits) {
  const Task task = boolean_task(k, "1", calibration);
  const Query query = Query::parse(task.schema(), "b0 and b1").value();
  CounterBitSource bits("variance of pairs");
  const Score score = simulate(
      task, query, [&](const Record& record) { return task.channel().randomize(task.arrangement(), record, bits); });
  INFO("k = " << k << ", over the one-query limit: " << kReports * score.variance() / tails::one_query_limit(1));
  CHECK(variance_as_stated(score));
  CHECK(variance_in_limits(score, limits));
  CHECK(std::abs(score.bias_in_standard_errors()) < normal_threshold(1e-9));
}

TEST_CASE("pairs of 8 booleans cost 123 times the one-query limit (tight)") {
  check_pairs(8, LaplaceCalibration::kTight, 123);
}
TEST_CASE("pairs of 8 booleans cost 294 times the one-query limit (paper)") {
  check_pairs(8, LaplaceCalibration::kPaper, 294);
}
TEST_CASE("pairs of 16 booleans cost 492 times the one-query limit (tight)") {
  check_pairs(16, LaplaceCalibration::kTight, 492);
}
TEST_CASE("pairs of 16 booleans cost 1078 times the one-query limit (paper)") {
  check_pairs(16, LaplaceCalibration::kPaper, 1078);
}

// With too small a scale the estimates look better, but the reports are less private.
TEST_CASE("a scale that is 5 % too small is detected by the variance") {
  const Task task = boolean_task(8, "1");
  const Query query = Query::parse(task.schema(), "b0 and b1").value();
  const Rational wrong = Rational::create(19 * 16, 20).value();
  const LaplaceChannel channel = laplace(task).with_scales(std::vector<Rational>(8, wrong)).value();
  CounterBitSource bits("variance of a planted scale");
  const Score score = simulate(task, query, [&](const Record& record) {
    std::vector<std::int8_t> embedding(8);
    task.arrangement().encode(record, embedding);
    std::vector<std::int32_t> y(8);
    channel.randomize(embedding, bits, y);
    std::vector<std::uint8_t> payload(task.channel().payload_size());
    laplace(task).pack(y, payload);
    return payload;
  });
  CHECK_FALSE(variance_as_stated(score));
  CHECK_FALSE(variance_in_limits(score, 123));
}

}  // namespace
}  // namespace hearsay::tests
