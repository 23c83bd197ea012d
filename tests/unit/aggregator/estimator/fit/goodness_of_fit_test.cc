#include "aggregator/estimator/fit/goodness_of_fit.h"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>

#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/fit/literal_model.h"
#include "aggregator/estimator/fit/segment_fit.h"
#include "aggregator/tally/tally.h"
#include "tests/support/bit_sources.h"
#include "tests/support/laplace_tasks.h"

namespace hearsay::estimator {
namespace {

using namespace tests;  // NOLINT(google-build-using-namespace)

Task sampled_task(const std::string& shape, const std::string& epsilon, std::uint32_t group_size) {
  return Task::create({.title = shape,
                       .schema = schema_of(shape),
                       .arrangement = LiteralsSpec{},
                       .channel = SampledSpec{.groups = {}, .group_size = group_size},
                       .epsilon = Epsilon::parse(epsilon).value(),
                       .task_start = 0,
                       .task_duration = 3600,
                       .time_precision = 3600})
      .value();
}

// Returns a tally of `laplace` with these means. Each mean must be a multiple of 1/reports.
tally::Tally tally_with_means(const std::vector<double>& means, std::uint64_t reports) {
  tally::LaplaceTally tally(means.size());
  tally.reports = reports;
  for (std::size_t j = 0; j < means.size(); ++j) {
    tally.sum[j] = std::llround(means[j] * static_cast<double>(reports));
    tally.sum_of_squares[j] = reports;
  }
  return tally::Tally(std::move(tally));
}

Result<GoodnessOfFit> fit(const Task& task, const std::string& text, const tally::Tally& tally) {
  compiler::Work work;
  compiler::CompiledQuery query = compiler::compile(task, Query::parse(task.schema(), text).value(), work).value();
  return goodness_of_fit(task, query, tally, work);
}

// For "a0 and a1" the class means are (-1/3, -1/3) and (1, 1). Only the difference of the two means can contradict the
// assumption. Its variance is 2(V_00 - V_01)/n, with the covariance matrix V of a report. At ω̂ = 1/4 the people are
// uniform, so V_00 = 1 + noise and V_01 = 0. The third attribute is uniform.
TEST_CASE("the statistics of a pair agree with a calculation by hand") {
  const Task task = laplace_task("b b b", "3");
  const double noise = laplace_of(task).noise_variance(0);
  const double n = 1000;
  const auto result = fit(task, "a0 and a1", tally_with_means({0.1, -0.1, 0.2}, 1000));
  REQUIRE(result);
  const double variance = (1 + noise) / n + 1 / (n * n);
  const double of_query = 0.2 * 0.2 / (2 * variance);
  CHECK(result->query.degrees == 1);
  CHECK(result->query.statistic == doctest::Approx(of_query).scale(0).epsilon(1e-9));
  CHECK(result->query.p == doctest::Approx(std::erfc(std::sqrt(of_query / 2))).scale(0).epsilon(1e-9));
  const double of_all = of_query + 0.2 * 0.2 / variance;
  CHECK(result->all.degrees == 2);
  CHECK(result->all.statistic == doctest::Approx(of_all).scale(0).epsilon(1e-9));
  CHECK(result->all.p == doctest::Approx(std::exp(-of_all / 2)).scale(0).epsilon(1e-9));
}

// Each of three groups asks about one coordinate j, in n_j reports. So Var m̂_j = (1/γ² - m_j²)/n_j, and there are no
// covariances. At ω̂ = 1/4 the people are uniform.
TEST_CASE("the statistics of a pair agree with a calculation by hand, for reports of sampled groups") {
  const Task task = sampled_task("b b b", "1", 1);
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  const double gamma = channel.gamma(channel.class_of(0));
  tally::SampledTally tally;
  const auto add = [&](std::uint64_t group, int plus, int minus) {
    for (int i = 0; i < plus; ++i) tally.add(group, 0);
    for (int i = 0; i < minus; ++i) tally.add(group, 1);
  };
  add(0, 220, 180);
  add(1, 180, 220);
  const double x = 40.0 / 400 / gamma;
  const double variance = 1 / (gamma * gamma) / 400 + std::pow(2 / gamma / 400, 2);
  const double of_query = std::pow(2 * x, 2) / (2 * variance);
  const auto two = fit(task, "a0 and a1", tally::Tally(tally));
  REQUIRE(two);
  CHECK(two->query.statistic == doctest::Approx(of_query).scale(0).epsilon(1e-9));
  CHECK(two->query.degrees == 1);
  CHECK(two->all.degrees == 1);  // nobody was asked about a2
  CHECK(two->all.statistic == doctest::Approx(of_query).scale(0).epsilon(1e-9));
  add(2, 180, 220);
  const auto three = fit(task, "a0 and a1", tally::Tally(tally));
  REQUIRE(three);
  CHECK(three->query.statistic == doctest::Approx(of_query).scale(0).epsilon(1e-9));
  CHECK(three->all.degrees == 2);
  CHECK(three->all.statistic == doctest::Approx(of_query + x * x / variance).scale(0).epsilon(1e-9));
}

TEST_CASE("the statistic leaves out groups without reports") {
  const Task task = sampled_task("b b b b", "1", 1);
  tally::SampledTally one;
  for (int i = 0; i < 100; ++i) one.add(0, 0);
  const auto result = fit(task, "a0 and a1", tally::Tally(one));
  REQUIRE(result);
  CHECK(result->query.degrees == 0);
  CHECK(result->query.p == 1);
  CHECK_FALSE(fit_warning(*result));
  tally::SampledTally other;
  for (int i = 0; i < 100; ++i) other.add(3, 0);
  const auto untouched = fit(task, "a0 and a1", tally::Tally(other));
  REQUIRE(untouched);
  CHECK(untouched->query.degrees == 0);
  CHECK(untouched->all.degrees == 1);  // no fraction ω is fitted
  CHECK(untouched->all.p < 1e-4);      // but a3 is not uniform
}

TEST_CASE("the p-value is smaller if the same means come from more reports") {
  for (const std::string text : {"a0 and a1", "a0 = v1 or a2 >= 0", "at_least(2, a1, a3, a2 >= 0)"}) {
    const Task task = laplace_task("c3 b r4 b", "4");
    double p_query = 1;
    double p_all = 1;
    for (const std::uint64_t reports : {100U, 400U, 1600U, 6400U}) {
      const auto result = fit(task, text == "a0 and a1" ? "a1 and a3" : text,
                              tally_with_means({-0.25, -0.5, -0.25, 0.5, 0.75, 0.25, -0.5, -0.75}, reports));
      REQUIRE(result);
      CHECK(result->query.p < p_query);
      CHECK(result->all.p < p_all);
      p_query = result->query.p;
      p_all = result->all.p;
    }
    CHECK(p_query < 1e-6);
  }
}

TEST_CASE("the p-values of means on the segment between the class means are near 1") {
  const Task task = laplace_task("b b b b", "8");
  const auto result = fit(task, "a0 and a1", tally_with_means({-0.2, -0.2, 0, 0}, 1'000'000));
  REQUIRE(result);
  CHECK(result->query.p > 0.999);
  CHECK(result->all.p > 0.999);
  CHECK_FALSE(fit_warning(*result));
}

TEST_CASE("the statistic of uniform attributes needs no matrix") {
  CounterBitSource bits("uniform attributes");
  // In the second task there is hardly any noise, and the indicators of an attribute have a constant sum.
  const std::vector<std::pair<std::string, std::string>> tasks{{"b c4 r2 r5 r40 c30", "1"}, {"c5 b r5", "64"}};
  for (const auto& [shape, epsilon] : tasks) {
    const Task task = laplace_task(shape, epsilon);
    const auto& literals = std::get<Literals>(task.arrangement().kind());
    std::vector<double> observed;
    for (std::size_t j = 0; j < literals.dimension(); ++j) {
      observed.push_back(static_cast<double>(bits.bits(8)) / 256);
    }
    const auto means = literal_means(task, tally_with_means(observed, 256)).value();
    for (std::size_t attribute = 0; attribute < task.schema().size(); ++attribute) {
      const AttributeBlock& block = literals.blocks()[attribute];
      std::vector<std::uint32_t> coordinates;
      for (std::size_t j = 0; j < block.size; ++j) coordinates.push_back(static_cast<std::uint32_t>(block.offset + j));
      const LiteralModel model(task.schema(), literals, means, coordinates, nullptr);
      const auto chosen = model.independent();
      SegmentFit by_matrix;
      by_matrix.add(model.observed()(chosen), model.delta()(chosen), model.covariance(0.5)(chosen, chosen));
      const Square square =
          uniform_square(task.schema()[attribute], std::span(means).subspan(block.offset, block.size));
      CAPTURE(attribute);
      CHECK(square.degrees == by_matrix.degrees());
      const bool dependent = epsilon == "64" && task.schema()[attribute].kind() == AttributeKind::kCategorical;
      CHECK(square.degrees == block.size - (dependent ? 1 : 0));
      if (!dependent) CHECK(square.value == doctest::Approx(by_matrix.statistic()).scale(0).epsilon(1e-9));
    }
  }
}

TEST_CASE(
    "the statistic and the fitted fraction do not depend on whether the number of people in each class is random") {
  Eigen::VectorXd x(3);
  x << 0.3, -0.2, 0.7;
  Eigen::VectorXd delta(3);
  delta << 1, 0.5, -0.25;
  Eigen::MatrixXd covariance(3, 3);
  covariance << 2, 0.3, 0.1, 0.3, 1, -0.2, 0.1, -0.2, 3;
  SegmentFit fixed;
  fixed.add(x, delta, covariance);
  SegmentFit random;
  random.add(x, delta, covariance + 5 * delta * delta.transpose());
  CHECK(fixed.degrees() == 2);
  CHECK(fixed.statistic() == doctest::Approx(random.statistic()).scale(0).epsilon(1e-9));
  CHECK(fixed.fraction() == doctest::Approx(random.fraction()).scale(0).epsilon(1e-9));
  const Eigen::MatrixXd inverse = covariance.inverse();
  const double omega = delta.dot(inverse * x) / delta.dot(inverse * delta);
  const Eigen::VectorXd residual = x - omega * delta;
  CHECK(fixed.fraction() == doctest::Approx(omega).scale(0).epsilon(1e-12));
  CHECK(fixed.statistic() == doctest::Approx(residual.dot(inverse * residual)).scale(0).epsilon(1e-9));
}

TEST_CASE("a tally or query that cannot be tested is refused, and a small p-value gives the warning's text") {
  const Task task = laplace_task("b b", "1");
  CHECK(fit(task, "a0", tally_with_means({0, 0}, 10)).error().code == ErrorCode::kInvalidArgument);
  CHECK(fit(task, "a0 and a1", tally_with_means({0, 0}, 0)).error().code == ErrorCode::kNoReports);
  CHECK(fit(task, "a0 and a1", tally_with_means({0, 0, 0}, 10)).error().code == ErrorCode::kInvalidArgument);
  CHECK(fit(task, "a0 and a1", tally::Tally(tally::SampledTally())).error().code == ErrorCode::kNoReports);
  const auto far = fit(task, "a0 and a1", tally_with_means({0.75, -0.75}, 100'000));
  REQUIRE(far);
  const auto warning = fit_warning(*far);
  REQUIRE(warning);
  CHECK(warning->find("contradict the average-case assumption for this query (p < 1e-99)") != std::string::npos);
  const auto text = fit_warning({.all = {1, 0, 1}, .query = {2.34e-7, 27, 1}});
  REQUIRE(text);
  CHECK(text->find("(p = 2.3e-07)") != std::string::npos);
  CHECK_FALSE(fit_warning({.all = {1e-9, 37, 1}, .query = {1.1e-4, 15, 1}}));
}

}  // namespace
}  // namespace hearsay::estimator
