#include "aggregator/compiler/compile_explicit.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "tests/support/bit_sources.h"
#include "tests/support/explicit_tasks.h"
#include "tests/support/laplace_tasks.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

namespace hearsay::compiler {
namespace {

using tests::explicit_spec;
using tests::weighted_bits;

Task task_of(const std::string& shape, const ExplicitSpec& vectors, const std::string& epsilon = "1",
             LaplaceCalibration calibration = LaplaceCalibration::kTight) {
  return Task::create(explicit_spec(shape, vectors, epsilon, calibration)).value();
}

Result<LinearQuery> compile_for(const Task& task, const std::string& text) {
  return tests::linear_of(compile(task, Query::parse(task.schema(), text).value(), tests::work()));
}

// For every record, the value offset + ⟨a(x), g⟩ of the linear form, and the value of the query.
struct Values {
  std::vector<double> value;
  std::vector<bool> f;

  double mean(bool b) const {
    double sum = 0;
    double count = 0;
    for (std::size_t x = 0; x < f.size(); ++x) {
      if (f[x] == b) sum += value[x], ++count;
    }
    return sum / count;
  }
  double variance(bool b) const {
    double sum = 0;
    double count = 0;
    for (std::size_t x = 0; x < f.size(); ++x) {
      if (f[x] == b) sum += (value[x] - mean(b)) * (value[x] - mean(b)), ++count;
    }
    return sum / count;
  }
};

Values values_of(const Task& task, const LinearQuery& linear, const std::string& text) {
  const Query query = Query::parse(task.schema(), text).value();
  Values values;
  std::vector<std::int8_t> u(task.arrangement().dimension());
  for (const Record& record : tests::all_records(task.schema())) {
    task.arrangement().encode(record, u);
    double value = linear.offset;
    for (const auto& [coordinate, weight] : linear.weights) value += weight * u[coordinate];
    values.value.push_back(value);
    values.f.push_back(query.evaluate(record));
  }
  return values;
}

double squares(const LinearQuery& linear) {
  double sum = 0;
  for (const auto& weight : linear.weights) sum += weight.value * weight.value;
  return sum;
}

LinearQuery checked(const Task& task, const std::string& text) {
  CAPTURE(text);
  const auto result = compile_for(task, text);
  REQUIRE_MESSAGE(result, result.error().message);
  const Values values = values_of(task, *result, text);
  CHECK(values.mean(false) == doctest::Approx(0).scale(1).epsilon(1e-9));
  CHECK(values.mean(true) == doctest::Approx(1).scale(0).epsilon(1e-9));
  for (const bool b : {false, true}) {
    CHECK(result->class_variance[b ? 1 : 0] == doctest::Approx(values.variance(b)).scale(1).epsilon(1e-9));
  }
  const bool exact = values.variance(false) < 1e-15 && values.variance(true) < 1e-15;
  CHECK((result->guarantee == Guarantee::kWorstCase) == exact);
  // By (17), the margin is ½(μ_1 - μ_0)/(‖v‖·R), where R is the largest norm of a vector and μ_b the mean of ⟨a, v⟩ in
  // class b. For v = g the difference μ_1 - μ_0 is 1.
  const auto& vectors = std::get<Explicit>(task.arrangement().kind());
  CHECK(result->margin ==
        doctest::Approx(0.5 / std::sqrt(squares(*result) * static_cast<double>(vectors.largest_square())))
            .scale(0)
            .epsilon(1e-9));
  return *result;
}

TEST_CASE("queries that are affine in the vectors have the guarantee worst-case") {
  const Task task = task_of("b b b", weighted_bits());
  for (const std::string text : {"a0", "a1", "not a2", "a0 and (a1 or not a1)"}) {
    CHECK(checked(task, text).guarantee == Guarantee::kWorstCase);
  }
  const LinearQuery first = checked(task, "a0");
  CHECK(first.offset == doctest::Approx(0.5));
  REQUIRE(first.weights.size() >= 1);
  CHECK(first.weights[0].coordinate == 0);
  CHECK(first.weights[0].value == doctest::Approx(0.05));
  CHECK(checked(task, "a0 and a1").guarantee == Guarantee::kAverageCase);
}

TEST_CASE("if several weights give the query, the compiler takes the weights of least noise") {
  // The second coordinate is twice the first coordinate u. So the query is ½ + g_0·u + g_1·2u with g_0 + 2·g_1 = ½. The
  // noise is least at g = (1, 2)/10.
  const Task task = task_of("b", {2, {-1, -2, 1, 2}, {{"a0", {1, 0}}}});
  const LinearQuery linear = checked(task, "a0");
  CHECK(linear.guarantee == Guarantee::kWorstCase);
  REQUIRE(linear.weights.size() == 2);
  CHECK(linear.weights[0].value == doctest::Approx(0.1));
  CHECK(linear.weights[1].value == doctest::Approx(0.2));
}

TEST_CASE("with more dimensions than records every query is affine, unless vectors of records are equal") {
  tests::CounterBitSource bits("wide vectors");
  const Task task = task_of("b b b", tests::random_vectors("b b b", 20, 127, bits));
  for (const std::string text : {"a0 and a1", "a0 and not a1 or a1 and not a0", "at_least(2, a0, a1, a2)"}) {
    CHECK(checked(task, text).guarantee == Guarantee::kWorstCase);
  }
}

TEST_CASE("for random vectors the class means are exact, and the compiled direction has the least noise") {
  tests::CounterBitSource bits("average directions");
  std::set<Guarantee> guarantees;
  for (const std::string shape : {"b b b", "c3 r4", "b c4 b", "r9 b"}) {
    for (const std::uint32_t d : {1U, 2U, 5U}) {
      const Task task = task_of(shape, tests::random_vectors(shape, d, 20, bits), "0.5");
      const std::string last = "a" + std::to_string(task.schema().size() - 1);
      const std::string other = last + " = " + task.schema()[task.schema().size() - 1].value_text(1);
      const std::string first = "a0 = " + task.schema()[0].value_text(1);
      for (const std::string& text : {first + " and " + other, first + " or not " + other, "not " + other}) {
        const LinearQuery linear = checked(task, text);
        guarantees.insert(linear.guarantee);
        if (linear.guarantee == Guarantee::kWorstCase) continue;
        // By the inequality of Cauchy and Schwarz the noise is at least 1/‖δ‖², where δ is the difference of the class
        // means. The direction δ attains this bound.
        const Values f = values_of(task, linear, text);
        double delta = 0;
        for (std::size_t j = 0; j < d; ++j) {
          LinearQuery coordinate;
          coordinate.weights.push_back({static_cast<std::uint32_t>(j), 1});
          const Values u = values_of(task, coordinate, text);
          delta += (u.mean(true) - u.mean(false)) * (u.mean(true) - u.mean(false));
        }
        CHECK(squares(linear) == doctest::Approx(1 / delta).scale(0).epsilon(1e-9));
      }
    }
  }
  CHECK(guarantees.count(Guarantee::kAverageCase) == 1);
}

TEST_CASE("the printed scheme takes the task's vector for every spelling of a query, and for its negation") {
  const Task task = task_of("b b b", weighted_bits(), "1", LaplaceCalibration::kPaper);
  for (const std::string text : {"a0 or a2", "a2 or a0", "not (not a0 and not a2)", "not a0 and not a2"}) {
    const LinearQuery linear = checked(task, text);
    REQUIRE(linear.weights.size() == 2);
    CHECK(linear.weights[0].coordinate == 0);
    CHECK(linear.weights[1].coordinate == 2);
    CHECK(linear.weights[0].value == doctest::Approx(2 * linear.weights[1].value));
    CHECK((linear.weights[0].value > 0) == (text != "not a0 and not a2"));
  }
  // For a query outside the class, the compiler takes the average direction. If a query of the class has no margin in
  // the direction of its vector, there is an error.
  CHECK(checked(task, "a1 or a2").weights.size() == 3 - 1);
  ExplicitSpec blind = weighted_bits();
  blind.queries[1].vector = {0, 1, 0};
  const auto unseen = compile_for(task_of("b b b", blind, "1", LaplaceCalibration::kPaper), "a0 or a2");
  REQUIRE_FALSE(unseen);
  CHECK(unseen.error().code == ErrorCode::kQueryNotVisible);
  CHECK(checked(task_of("b b b", blind), "a0 or a2").weights.size() == 2);
}

TEST_CASE("if the variance of the instances exceeds the noise, the task's vector can be the better direction") {
  // The query holds if u_0 + u_1 > 0. The class means differ most in u_0. The sum u_0 + u_1 is constant in each class.
  const ExplicitSpec spec{2, {-100, 60, 0, -40, 100, -60, 40, 0}, {{"a0", {1, 1}}}};
  const LinearQuery loud = checked(task_of("b b", spec, "0.01"), "a0");
  const LinearQuery quiet = checked(task_of("b b", spec, "64"), "a0");
  CHECK(quiet.guarantee == Guarantee::kWorstCase);
  CHECK(loud.guarantee == Guarantee::kWorstCase);
  // Here no direction has constant values in both classes, so no direction is exact.
  const ExplicitSpec rough{2, {-100, 60, 0, -41, 100, -60, 40, 1}, {{"a0", {1, 1}}}};
  const LinearQuery noise = checked(task_of("b b", rough, "0.01"), "a0");
  const LinearQuery instances = checked(task_of("b b", rough, "64"), "a0");
  CHECK(squares(noise) < squares(instances));
  CHECK(instances.class_variance[0] + instances.class_variance[1] < noise.class_variance[0] + noise.class_variance[1]);
  REQUIRE(instances.weights.size() == 2);
  CHECK(instances.weights[0].value == doctest::Approx(instances.weights[1].value));
}

TEST_CASE("constant queries need no report, and the error about a query without a margin says so") {
  const Task task = task_of("b b b", weighted_bits());
  const auto yes = compile_for(task, "a0 or not a0");
  REQUIRE(yes);
  CHECK(yes->offset == 1);
  CHECK(yes->weights.empty());
  const auto parity = compile_for(task, "a0 and not a1 or a1 and not a0");
  REQUIRE_FALSE(parity);
  CHECK(parity.error().code == ErrorCode::kQueryNotVisible);
  CHECK(parity.error().message.find("margin is 0") != std::string::npos);
}

TEST_CASE("for explicit vectors the compiler refuses a sample of records as the reference") {
  const Task task = task_of("b b b", weighted_bits());
  const std::vector<Record> sample(100, Record::create(task.schema(), {0, 0, 1}).value());
  const auto result = compile(task, Query::parse(task.schema(), "a0").value(), tests::work(), sample);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("queries of an explicit class that cannot be parsed are found before the task is accepted") {
  CHECK(check_class(task_of("b b b", weighted_bits())));
  CHECK(check_class(tests::laplace_task("b", "1")));
  ExplicitSpec bad = weighted_bits();
  bad.queries[1].query = "a7";
  const auto result = check_class(task_of("b b b", bad));
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kInvalidTask);
  CHECK(result.error().message.starts_with("arrangement.queries: the query `a7`: line 1, column 1"));
  CHECK(compile_for(task_of("b b b", bad), "a0 or a2"));  // with another calibration such a query is ignored
}

TEST_CASE("work beyond the budget is refused, and a request to stop ends the work") {
  ExplicitSpec spec{16, std::vector<std::int8_t>(16U << 16U, 1), {{"a0 = -2", std::vector<std::int8_t>(16, 1)}}};
  for (std::size_t i = 0; i < spec.records.size(); i += 7) spec.records[i] = static_cast<std::int8_t>(i % 100);
  const Task task = task_of("r256 r256", spec);
  const Query query = Query::parse(task.schema(), "a0 > 5 or a1 > 7").value();
  Work small({}, {1U << 16U, 1U << 28U});
  const auto refused = compile(task, query, small);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kLimitExceeded);
  std::stop_source stop;
  stop.request_stop();
  Work stopped(stop.get_token());
  CHECK(compile(task, query, stopped).error().code == ErrorCode::kCancelled);
  Work enough;
  CHECK(compile(task, query, enough));
}

}  // namespace
}  // namespace hearsay::compiler
