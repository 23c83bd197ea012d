#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/estimate.h"
#include "common/arrangement/arrangement.h"
#include "tests/support/bit_sources.h"
#include "tests/support/explicit_tasks.h"
#include "tests/support/laplace_tasks.h"

namespace hearsay::estimator {
namespace {

using tests::explicit_spec;
using tests::weighted_bits;

compiler::LinearQuery linear_for(const Task& task, const std::string& text) {
  compiler::Work work;
  return compiler::compile(task, Query::parse(task.schema(), text).value(), work).value().linear;
}

TEST_CASE("an estimate is an affine function of the mean vector, and its error covers the noise and the instances") {
  const Task task = Task::create(explicit_spec("b b b", weighted_bits(10, 6, 3), "2")).value();
  tally::LaplaceTally sums(3);
  sums.reports = 1000;
  sums.sum = {2000, -500, 100};
  sums.sum_of_squares = {900'000, 900'000, 900'000};
  const tally::Tally tally(std::move(sums));
  const double noise = tests::laplace_of(task).noise_variance(0);

  const Estimate exact = estimate(task, linear_for(task, "a0"), tally, 0.95).value();
  CHECK(exact.guarantee == compiler::Guarantee::kWorstCase);
  CHECK(exact.value == doctest::Approx(0.5 + 0.05 * 2));
  CHECK(exact.standard_error == doctest::Approx(std::sqrt(0.05 * 0.05 * noise / 1000)).scale(0).epsilon(1e-9));

  const compiler::LinearQuery linear = linear_for(task, "a0 and a1");
  const Estimate average = estimate(task, linear, tally, 0.95).value();
  double value = linear.offset;
  double squares = 0;
  const double means[3] = {2, -0.5, 0.1};
  for (const auto& [coordinate, weight] : linear.weights) {
    value += weight * means[coordinate];
    squares += weight * weight;
  }
  CHECK(average.value == doctest::Approx(value).scale(0).epsilon(1e-9));
  const double ones = std::clamp(value, 0.0, 1.0);
  const double variance =
      (squares * noise + ones * linear.class_variance[1] + (1 - ones) * linear.class_variance[0]) / 1000;
  CHECK(average.standard_error == doctest::Approx(std::sqrt(variance)).scale(0).epsilon(1e-9));
  CHECK(average.guaranteed.high - average.guaranteed.low > average.normal.high - average.normal.low);

  const auto estimator = Estimator::create(task, tally).value();
  const std::vector<std::uint32_t> attributes{0};
  CHECK(estimator.means(attributes).error().code == ErrorCode::kUnsupported);
  CHECK(estimator.table(attributes, 0.95).error().code == ErrorCode::kUnsupported);
}

// The databases are random among those with a given fraction. The limit is seven standard errors, a false alarm
// below 1e-11.
TEST_CASE("average-case answers are unbiased over random databases, and have the stated error") {
  const Task task = Task::create(explicit_spec("b b b", weighted_bits(), "4")).value();
  const std::string text = "a0 or a2";
  const Query query = Query::parse(task.schema(), text).value();
  std::vector<Record> of_class[2];
  for (const Record& record : tests::all_records(task.schema())) {
    of_class[query.evaluate(record) ? 1 : 0].push_back(record);
  }
  const compiler::LinearQuery linear = linear_for(task, text);
  REQUIRE(linear.guarantee == compiler::Guarantee::kAverageCase);
  tests::CounterBitSource bits("random databases of explicit vectors");
  constexpr int kRuns = 200;
  constexpr int kReports = 100;
  constexpr int kOnes = 30;
  double sum = 0;
  double sum_of_squares = 0;
  double stated = 0;
  for (int run = 0; run < kRuns; ++run) {
    tally::Tally tally = tally::Tally::empty(task.channel());
    for (int i = 0; i < kReports; ++i) {
      const std::vector<Record>& from = of_class[i < kOnes ? 1 : 0];
      const Record& record = from[bits.bits(32) % from.size()];
      const std::vector<std::uint8_t> payload = task.channel().randomize(task.arrangement(), record, bits);
      REQUIRE(task.channel().check(payload));
      REQUIRE(tally.add(task.channel(), payload));
    }
    const Estimate found = estimate(task, linear, tally, 0.95).value();
    const double error = found.value - static_cast<double>(kOnes) / kReports;
    sum += error;
    sum_of_squares += error * error;
    stated += found.standard_error * found.standard_error;
  }
  const double spread = std::sqrt(stated / kRuns);
  CHECK(std::abs(sum / kRuns) < 7 * spread / std::sqrt(kRuns));
  // The variance over the runs has the relative standard error √(2/200) = 0.1.
  CHECK(sum_of_squares / kRuns == doctest::Approx(spread * spread).scale(0).epsilon(0.7));
}

}  // namespace
}  // namespace hearsay::estimator
