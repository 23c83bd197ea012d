#include "aggregator/estimator/estimate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "aggregator/tails/query_error.h"
#include "aggregator/tally/tally.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"

namespace hearsay::estimator {
namespace {

// Returns a task of `attributes` booleans. For kTight the scale of every coordinate is 2·attributes/ε.
Task booleans(int attributes, const char* epsilon, std::uint64_t min_batch_size = 1,
              LaplaceCalibration calibration = LaplaceCalibration::kTight) {
  std::vector<Attribute> list;
  for (int i = 0; i < attributes; ++i) list.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  return Task::create(TaskSpec{.title = "t",
                               .schema = Schema::create(std::move(list)).value(),
                               .arrangement = LiteralsSpec{},
                               .channel = LaplaceSpec{calibration, {}},
                               .epsilon = Epsilon::parse(epsilon).value(),
                               .task_start = 0,
                               .task_duration = 86400,
                               .time_precision = 3600,
                               .min_batch_size = min_batch_size})
      .value();
}

tally::Tally tally_of(std::uint64_t reports, std::vector<std::int64_t> sum) {
  tally::LaplaceTally tally(sum.size());
  tally.reports = reports;
  tally.sum = std::move(sum);
  return tally::Tally(std::move(tally));
}

// Returns the query `b0 and b1`, computed by hand. The class means are (1, 1) and (-1/3, -1/3), the weights are (3/8,
// 3/8), and the offset is 1/4. In class 1 the value is 1. In class 0 the value is 1/4 for two of three records and -1/2
// for the third, so its mean is 0 and its variance 1/8.
compiler::LinearQuery pair_query() {
  compiler::LinearQuery query;
  query.offset = 0.25;
  query.weights = {{0, 0.375}, {1, 0.375}};
  query.guarantee = compiler::Guarantee::kAverageCase;
  query.margin = 0.3;
  query.class_variance = {0.125, 0};
  return query;
}

compiler::LinearQuery single_query() {
  compiler::LinearQuery query;
  query.offset = 0.5;
  query.weights = {{0, 0.5}};
  query.margin = 0.2;
  return query;
}

compiler::LinearQuery constant_query(double value) {
  compiler::LinearQuery query;
  query.offset = value;
  return query;
}

double laplace_variance(double scale) { return 0.5 / std::pow(std::sinh(0.5 / scale), 2); }

bool warns(const Estimate& estimate, const char* text) {
  for (const std::string& warning : estimate.warnings) {
    if (warning.find(text) != std::string::npos) return true;
  }
  return false;
}

TEST_CASE("the variance of an average-case estimate is the sum of the variances of the noise and of the instances") {
  const Task task = booleans(4, "2");  // the noise has the scale 4
  const Estimate answer = estimate(task, pair_query(), tally_of(1000, {400, -300, 7, 7}), 0.95).value();
  CHECK(answer.value == doctest::Approx(0.25 + 0.375 * 100 / 1000).epsilon(1e-12));
  const double noise = 2 * 0.375 * 0.375 * laplace_variance(4);
  const double error = std::sqrt((noise + 0.125 * (1 - answer.value)) / 1000);
  CHECK(answer.standard_error == doctest::Approx(error).epsilon(1e-12));
  CHECK(answer.normal.low == doctest::Approx(answer.value - 1.959963984540054 * error).epsilon(1e-12));
  CHECK(answer.normal.high == doctest::Approx(answer.value + 1.959963984540054 * error).epsilon(1e-12));
  CHECK(answer.guaranteed.low < answer.normal.low);
  CHECK(answer.guaranteed.high - answer.value == doctest::Approx(answer.value - answer.guaranteed.low).epsilon(1e-9));
  CHECK(answer.guarantee == compiler::Guarantee::kAverageCase);
  CHECK(answer.margin == 0.3);
  CHECK(answer.reports == 1000);
  CHECK(answer.confidence == 0.95);
  CHECK(answer.warnings.empty());
}

TEST_CASE("the only error of a worst-case estimate is the noise") {
  const Task task = booleans(2, "1");
  const Estimate answer = estimate(task, single_query(), tally_of(400, {-400, 12}), 0.9).value();
  CHECK(answer.value == doctest::Approx(0).epsilon(1e-12));
  CHECK(answer.standard_error == doctest::Approx(0.5 * std::sqrt(laplace_variance(4) / 400)).epsilon(1e-12));
  CHECK(answer.normal.high == doctest::Approx(1.6448536269514722 * answer.standard_error).epsilon(1e-9));
}

TEST_CASE("the guaranteed interval is the Chernoff bound for noise and instances together") {
  const Task task = booleans(4, "2");
  const Estimate answer = estimate(task, pair_query(), tally_of(500, {0, 0, 0, 0}), 0.95).value();
  tails::ReportError error;
  error.noise = {{0.375, 4}, {0.375, 4}};
  error.bounded_variance = 0.125;
  error.bounded_radius = 1.5;
  const double expected = tails::chernoff_half_width(error, 500, 0.05).value();
  CHECK(answer.guaranteed.high - answer.value == doctest::Approx(expected).epsilon(1e-9));
  // Without the variance of the instances the interval would be narrower.
  error.bounded_variance = 0;
  CHECK(tails::chernoff_half_width(error, 500, 0.05).value() < expected * (1 - 1e-3));
}

TEST_CASE("estimates below 0 and above 1 are not clipped") {
  const Task task = booleans(2, "1");
  const Estimate low = estimate(task, single_query(), tally_of(100'000, {-200'000, 0}), 0.95).value();
  CHECK(low.value == doctest::Approx(-0.5));
  CHECK(warns(low, "outside [0, 1]"));
  compiler::LinearQuery average = pair_query();
  const Estimate high = estimate(task, average, tally_of(100'000, {200'000, 200'000}), 0.95).value();
  CHECK(high.value == doctest::Approx(1.75));
  CHECK(warns(high, "average-case"));
  // The variance is taken at the nearest fraction, 1.
  CHECK(high.standard_error ==
        doctest::Approx(std::sqrt(2 * 0.375 * 0.375 * laplace_variance(4) / 1e5)).epsilon(1e-12));
}

TEST_CASE("sampled class means widen both intervals, also with many reports") {
  const Task task = booleans(2, "64");
  compiler::LinearQuery exact = pair_query();
  exact.class_variance = {0.125, 0.05};
  compiler::LinearQuery sampled = exact;
  sampled.class_members = {312, 500};
  sampled.class_mean_variance = {4e-4, 1e-4};
  const tally::Tally tally = tally_of(4'000'000'000, {0, 0});
  const Estimate plain = estimate(task, exact, tally, 0.95).value();
  const Estimate wide = estimate(task, sampled, tally, 0.95).value();
  CHECK(wide.value == plain.value);  // the estimated fraction ω̃ is 1/4
  const double added = 0.25 * 0.25 * 1e-4 + 0.75 * 0.75 * 4e-4;
  CHECK(wide.standard_error ==
        doctest::Approx(std::sqrt(plain.standard_error * plain.standard_error + added)).epsilon(1e-12));
  CHECK(warns(wide, "sampled"));
  CHECK_FALSE(warns(plain, "sampled"));
  // The class means have a tenth of the error probability β, divided among two classes and two sides. Class 0 has 312
  // sampled members, whose values have a range of 1.5.
  const double logarithm = std::log(8 / (0.1 * 0.05));
  const double means = std::sqrt(2 * 0.125 / 312 * logarithm) + 7 * 1.5 * logarithm / (3 * 311);
  tails::ReportError error = tails::report_error(std::get<LaplaceChannel>(task.channel().kind()), sampled);
  CHECK(error.subgaussian_variance == doctest::Approx(1.5 * 1.5 / 4));
  const double rest = tails::chernoff_half_width(error, 4'000'000'000, 0.9 * 0.05).value();
  CHECK(wide.guaranteed.high - wide.value == doctest::Approx(means + rest).epsilon(1e-9));
}

TEST_CASE("the means of a sampled class are uncertain even if its sampled members are alike") {
  const Task task = booleans(2, "64");
  compiler::LinearQuery alike = pair_query();
  alike.class_variance = {0, 0};
  const tally::Tally tally = tally_of(4'000'000'000, {-4'000'000'000, -4'000'000'000});
  const Estimate exact = estimate(task, alike, tally, 0.95).value();
  CHECK_FALSE(warns(exact, "sampled"));
  alike.class_members = {32, 32};
  const Estimate sampled = estimate(task, alike, tally, 0.95).value();
  CHECK(warns(sampled, "sampled"));
  const double means = 7 * 1.5 * std::log(8 / (0.1 * 0.05)) / (3 * 31);
  CHECK(sampled.guaranteed.high - sampled.value > means);
  CHECK(sampled.guaranteed.high - sampled.value < means + 0.01);
  for (const std::array<std::uint32_t, 2>& members : {std::array<std::uint32_t, 2>{32, 0}, {0, 32}}) {
    alike.class_members = members;
    CHECK(estimate(task, alike, tally, 0.95).value().guaranteed.high == sampled.guaranteed.high);
  }
  // From one member there is no sample variance and no bound.
  alike.class_members = {1, 32};
  CHECK(estimate(task, alike, tally, 0.95).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("the estimate of a constant query is exact") {
  const Task task = booleans(2, "1");
  for (const double value : {0.0, 1.0}) {
    const Estimate answer = estimate(task, constant_query(value), tally_of(3, {9, 9}), 0.99).value();
    CHECK(answer.value == value);
    CHECK(answer.standard_error == 0);
    CHECK(answer.normal.low == value);
    CHECK(answer.guaranteed.high == value);
    CHECK(answer.warnings.empty());
  }
}

TEST_CASE(
    "an estimate with an interval as wide as all fractions has a warning, and so has an estimate from few reports") {
  const Task task = booleans(8, "0.1");
  const Estimate few = estimate(task, single_query(), tally_of(29, {0, 0, 0, 0, 0, 0, 0, 0}), 0.95).value();
  CHECK(warns(few, "says nothing yet"));
  CHECK_FALSE(warns(few, "few reports"));  // the excess kurtosis 3/29 changes the coverage by 0.1 %
  const Estimate many = estimate(task, single_query(), tally_of(10'000'000, {0, 0, 0, 0, 0, 0, 0, 0}), 0.95).value();
  CHECK(many.warnings.empty());
  // At the scale 1/6 the noise differs from 0 with probability 2/(e^6+1) = 0.5 %, and standard errors are below a step
  // of the sum. So the interval covers only if the noise adds up to 0. With 20 reports this has probability 91 %, and
  // with 5 reports 98 %.
  const Task rare = booleans(1, "12");
  CHECK(warns(estimate(rare, single_query(), tally_of(20, {0}), 0.95).value(), "few reports"));
  CHECK_FALSE(warns(estimate(rare, single_query(), tally_of(5, {0}), 0.95).value(), "few reports"));
  // Here one report in 4e13 has any noise.
  const Task none = booleans(1, "64");
  CHECK_FALSE(warns(estimate(none, single_query(), tally_of(100'000, {0}), 0.95).value(), "few reports"));
}

TEST_CASE("no number of an estimate is NaN or infinite, for any query") {
  for (const char* epsilon : {"0.001", "1", "64"}) {
    for (const LaplaceCalibration calibration : {LaplaceCalibration::kTight, LaplaceCalibration::kPaper}) {
      const Task task = booleans(2, epsilon, 1, calibration);
      const std::size_t size = std::get<LaplaceChannel>(task.channel().kind()).coordinates();
      for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1} << 32U}) {
        for (const double confidence : {1e-300, 0.5, 1 - 1e-16}) {
          for (const compiler::LinearQuery& query : {pair_query(), single_query(), constant_query(1)}) {
            const Estimate answer =
                estimate(task, query, tally_of(n, std::vector<std::int64_t>(size, 1)), confidence).value();
            for (const double number : {answer.value, answer.standard_error, answer.normal.low, answer.normal.high,
                                        answer.guaranteed.low, answer.guaranteed.high}) {
              CHECK(std::isfinite(number));
            }
            CHECK(answer.normal.low <= answer.normal.high);
            CHECK(answer.guaranteed.low <= answer.guaranteed.high);
          }
        }
      }
    }
  }
}

TEST_CASE("estimates from no reports, too few reports or another tally are refused") {
  const Task task = booleans(2, "1", 100);
  const auto code = [&](const compiler::LinearQuery& query, const tally::Tally& tally, double confidence) {
    return estimate(task, query, tally, confidence).error().code;
  };
  CHECK(code(single_query(), tally_of(0, {0, 0}), 0.95) == ErrorCode::kNoReports);
  CHECK(code(constant_query(1), tally_of(0, {0, 0}), 0.95) == ErrorCode::kNoReports);
  CHECK(code(single_query(), tally_of(99, {0, 0}), 0.95) == ErrorCode::kBatchTooSmall);
  CHECK(estimate(task, single_query(), tally_of(100, {0, 0}), 0.95));
  for (const double bad : {0.0, 1.0, -1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(code(single_query(), tally_of(200, {0, 0}), bad) == ErrorCode::kInvalidArgument);
  }
  CHECK(code(single_query(), tally_of(200, {0, 0, 0}), 0.95) == ErrorCode::kInvalidArgument);
  compiler::LinearQuery foreign = single_query();
  foreign.weights.push_back({2, 0.5});
  CHECK(code(foreign, tally_of(200, {0, 0}), 0.95) == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay::estimator
