#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/predicted_error.h"
#include "aggregator/planner/query_classes.h"
#include "aggregator/planner/worst_query.h"
#include "aggregator/tails/paper.h"
#include "aggregator/tails/query_error.h"
#include "common/arrangement/arrangement.h"
#include "tests/support/explicit_tasks.h"
#include "tests/support/laplace_tasks.h"

namespace hearsay::planner {
namespace {

Task explicit_task(LaplaceCalibration calibration = LaplaceCalibration::kTight) {
  return Task::create(tests::explicit_spec("b b b", tests::weighted_bits(10, 6, 3), "2", calibration)).value();
}

double value_of(const Task& task, const compiler::LinearQuery& linear, const Record& record) {
  std::vector<std::int8_t> u(task.arrangement().dimension());
  task.arrangement().encode(record, u);
  double value = linear.offset;
  for (const auto& [coordinate, weight] : linear.weights) value += weight * u[coordinate];
  return value;
}

TEST_CASE("equation (20) holds for the vectors divided by the largest norm") {
  const Task task = explicit_task(LaplaceCalibration::kPaper);
  const Query query = Query::parse(task.schema(), "a0 and a1").value();
  const Target target{0.1, 0.05};
  const auto plans = plan(task, {query}, target);
  REQUIRE(plans[0]);
  // By (15), the scale is 2√d/ε, up to its rounding.
  const double lambda = 2 * std::sqrt(3.0) / 2;
  const auto users = tails::theorem7_users({lambda, plans[0]->margin}, target.alpha, target.beta).value();
  REQUIRE(plans[0]->users_paper);
  CHECK(static_cast<double>(*plans[0]->users_paper) ==
        doctest::Approx(static_cast<double>(users)).scale(0).epsilon(1e-4));
  // The query's vector is (1, 1, 0), the class means differ by (4/3)·(10, 6, 0), and the largest squared norm is 145.
  CHECK(plans[0]->margin == doctest::Approx(0.5 * 16 * 4 / 3 / std::sqrt(2.0 * 145)));
}

TEST_CASE(
    "the predicted error is right for the population, even if the vectors also depend on attributes outside of the "
    "query") {
  // Each vector is one number. If a0 and a1 are not both true, the number depends only on a2.
  ExplicitSpec spec{1, {-3, 2, -3, 2, -3, 2, 1, 9}, {{"a0 and a1", {1}}}};
  const Task task = Task::create(tests::explicit_spec("b b b", spec, "2")).value();
  const Query query = Query::parse(task.schema(), "a0 and a1").value();
  compiler::Work work;
  const compiler::LinearQuery linear = compiler::compile(task, query, work).value().linear;
  const Census people{
      {Record::create(task.schema(), {0, 0, 0}).value(), Record::create(task.schema(), {0, 0, 1}).value(),
       Record::create(task.schema(), {1, 1, 1}).value()},
      {0.5, 0.3, 0.2}};
  double bias = 0;
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double off = value_of(task, linear, people.records[i]) - (query.evaluate(people.records[i]) ? 1 : 0);
    bias += people.parts[i] * off;
    square += people.parts[i] * off * off;
  }
  const PredictedError predicted = predicted_error(task, query, linear, people);
  CHECK(predicted.bias == doctest::Approx(bias).scale(0).epsilon(1e-9));
  const double noise = linear.weights[0].value * linear.weights[0].value * tests::laplace_of(task).noise_variance(0);
  CHECK(predicted.variance == doctest::Approx(noise + square - bias * bias).scale(0).epsilon(1e-9));
  CHECK(std::abs(bias) > 0.05);
}

TEST_CASE("the guaranteed interval allows for the difference in value of any two records") {
  const Task task = explicit_task();
  compiler::Work work;
  const compiler::LinearQuery linear =
      compiler::compile(task, Query::parse(task.schema(), "a0 or a2").value(), work).value().linear;
  REQUIRE(linear.guarantee == compiler::Guarantee::kAverageCase);
  double least = 1e9;
  double most = -1e9;
  for (const Record& record : tests::all_records(task.schema())) {
    least = std::min(least, value_of(task, linear, record));
    most = std::max(most, value_of(task, linear, record));
  }
  CHECK(most - least > 1);
  CHECK(tails::report_error(tests::laplace_of(task), linear).bounded_radius >= most - least);
}

TEST_CASE("the worst conjunction is found, and a class with too many queries is an error") {
  const Task task = explicit_task();
  const WorstQuery worst =
      worst_query(task, Conjunctions{2}, class_parts(Conjunctions{2}, task.schema(), symmetry_of(task)).value())
          .value();
  double largest = 0;
  for (const std::string text : {"a0", "a1", "a2", "a0 and a1", "a0 and a2", "a1 and a2", "not a0 and a2"}) {
    compiler::Work work;
    const Query query = Query::parse(task.schema(), text).value();
    const auto compiled = compiler::compile(task, query, work).value();
    largest = std::max(largest, report_variance(task, query, compiled.linear).worst_among_reporters);
  }
  CHECK(worst.variance.worst_among_reporters == doctest::Approx(largest).epsilon(1e-9));
}

}  // namespace
}  // namespace hearsay::planner
