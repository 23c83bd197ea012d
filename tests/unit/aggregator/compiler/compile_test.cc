// Tests compile(): queries for tasks on literals and characters, with the channels `laplace` and `sampled`.
#include "aggregator/compiler/compile.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/laplace_tasks.h"
#include "tests/support/sampled_tasks.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

namespace hearsay::compiler {
namespace {

using tests::groups_of;
using tests::laplace_of;
using tests::laplace_task;
using tests::partition;
using tests::sampled_cases;
using tests::sampled_of;
using tests::sampled_task;
using tests::SampledCase;

Result<CompiledQuery> compile(const Task& task, const std::string& text) {
  return compiler::compile(task, Query::parse(task.schema(), text).value(), tests::work());
}

LinearQuery linear_of(const Task& task, const std::string& text) {
  const Result<CompiledQuery> compiled = compile(task, text);
  REQUIRE_MESSAGE(compiled, compiled.error().message);
  return compiled->linear;
}

// Returns the variance Σ g_j²/information_j of one report's estimate, with the weights g_j, for people whose
// coordinates have the mean 0.
double variance(const Task& task, const LinearQuery& linear) {
  const auto* characters = std::get_if<Characters>(&task.arrangement().kind());
  double sum = 0;
  for (const auto& [coordinate, weight] : linear.weights) {
    std::vector<std::uint32_t> attributes;
    if (characters != nullptr) {
      for (const Factor& factor : characters->factors(coordinate)) attributes.push_back(factor.attribute);
    }
    const double information = characters == nullptr ? sampled_of(task).literal_information(coordinate)
                                                     : sampled_of(task).information(attributes);
    sum += weight * weight / information;
  }
  return sum;
}

// Returns Σ g_j²·Var Y_j, with the weights g_j: the variance that the noise Y of `laplace` gives one report's
// contribution.
double noise(const Task& task, const LinearQuery& linear) {
  double sum = 0;
  for (const auto& [coordinate, weight] : linear.weights) {
    sum += weight * weight * laplace_of(task).noise_variance(coordinate);
  }
  return sum;
}

// Returns the one-query limit c²/4 with c = (e^ε+1)/(e^ε-1). The limit is the variance of a randomized response that
// answers one query.
double limit(double epsilon) {
  const double c = (std::exp(epsilon) + 1) / (std::exp(epsilon) - 1);
  return c * c / 4;
}

std::string boolean_schema(int count) {
  std::string shape;
  for (int i = 0; i < count; ++i) shape += "b ";
  return shape;
}

void check_equals_query(const Task& task, const std::string& text) {
  CAPTURE(text);
  const Query query = Query::parse(task.schema(), text).value();
  const LinearQuery linear = linear_of(task, text);
  CHECK(linear.guarantee == Guarantee::kWorstCase);
  std::vector<std::int8_t> a(task.arrangement().dimension());
  for (const Record& record : tests::all_records(task.schema())) {
    task.arrangement().encode(record, a);
    double value = linear.offset;
    for (const auto& [coordinate, weight] : linear.weights) value += weight * a[coordinate];
    CHECK(std::abs(value - (query.evaluate(record) ? 1 : 0)) < 1e-12);
  }
}

TEST_CASE("on characters a compiled query equals the query for every record, whatever the channel") {
  for (const SampledCase& c : sampled_cases()) {
    if (!std::holds_alternative<CharactersSpec>(c.arrangement)) continue;
    const Task sampled = sampled_task(c, "1");
    std::string text = "a0 = 1";
    if (sampled.schema()[0].kind() == AttributeKind::kBoolean) text = "a0";
    if (sampled.schema()[0].kind() == AttributeKind::kCategorical) text = "a0 = \"v1\"";
    check_equals_query(sampled, text);
    check_equals_query(laplace_task(c.shape, "1", {}, c.arrangement), text);
  }
}

TEST_CASE("characters of order 2 answer queries on two attributes and refuse queries on three attributes") {
  const Task task = laplace_task("b c3 r5 b", "1", {}, CharactersSpec{2});
  for (const char* const text :
       {"a0", "a0 and not a3 or not a0 and a3", "not (a1 in {v0, v2} and a2 >= 1)", "a0 + a2 >= 2"}) {
    check_equals_query(task, text);
  }
  CHECK(compile(task, "a0 and a3 and a1 = v1").error().code == ErrorCode::kQueryNotCovered);
}

TEST_CASE("for a query on literals the compiler also returns the study that class_moments() continues") {
  CHECK(compile(laplace_task("b b", "1"), "a0 and a1")->study);
  CHECK_FALSE(compile(laplace_task("b b", "1", {}, CharactersSpec{2}), "a0 and a1")->study);
}

// A report asks about one of the d = k(k+1)/2 characters, so each has the information γ²/d with γ = 1/c. A query on a
// pair weighs three characters by 1/4. A query on one boolean weighs one character by 1/2, so its variance d·c²/4 is
// larger. The ratio to the limit is d: 36 and 136.
TEST_CASE("the variance is right if each report asks about one character") {
  for (const int k : {8, 16}) {
    const auto pairs = static_cast<std::uint32_t>(k * (k - 1) / 2);
    const Task task = sampled_task(
        {"", boolean_schema(k), CharactersSpec{2},
         groups_of({{GroupKind::kSingle, 1, static_cast<std::uint32_t>(k)}, {GroupKind::kSingle, 2, pairs}})},
        "1");
    const double d = k + pairs;
    CHECK(variance(task, linear_of(task, "a1")) / limit(1) == doctest::Approx(d).epsilon(1e-9));
    CHECK(variance(task, linear_of(task, "a1 and not a3")) / limit(1) == doctest::Approx(3 * d / 4).epsilon(1e-9));
  }
}

// For a pair, the class means differ by 4/3 on both literals, so both weights are 3/8. Each literal has the information
// γ²/k, so the variance is 9k/8 times the limit.
TEST_CASE("the variance of pairs is right if each report asks about one literal") {
  for (const int k : {8, 16, 64}) {
    const Task task = sampled_task({"", boolean_schema(k), LiteralsSpec{}, partition(1)}, "1");
    CHECK(variance(task, linear_of(task, "a1 and a3")) / limit(1) == doctest::Approx(9.0 * k / 8).epsilon(1e-9));
  }
}

// A smaller group has a larger γ. The class means differ equally on both literals, so the weights are in proportion to
// γ².
TEST_CASE("the weight of a literal follows from the gamma of its group") {
  const Task task = sampled_task({"", boolean_schema(5), LiteralsSpec{}, partition(4)}, "2");
  const LinearQuery linear = linear_of(task, "a0 and a4");
  REQUIRE(linear.weights.size() == 2);
  const auto classes = sampled_of(task).classes();
  const double ratio = std::pow(sampled_of(task).gamma(classes[1]) / sampled_of(task).gamma(classes[0]), 2);
  CHECK(ratio > 1.5);
  CHECK(linear.weights[1].value / linear.weights[0].value == doctest::Approx(ratio).epsilon(1e-9));
}

// The query holds for one of three values. Its values on the four patterns are (1, 0, 0, p), with p free. All variances
// are equal, so Σg² is least if p is the mean of the values, 1/3.
TEST_CASE("the padding of a query has the least variance for the channel") {
  const Task task = sampled_task({"", "r3 b", CharactersSpec{1}, groups_of({{GroupKind::kSingle, 1, 1}})}, "1");
  const LinearQuery linear = linear_of(task, "a0 = -2");
  double squares = 0;
  for (const auto& each : linear.weights) squares += each.value * each.value;
  const double mean = 1.0 / 3;
  // By Parseval's identity, Σg² is the mean of f² over the 4 patterns minus the square of the mean of f.
  CHECK(squares == doctest::Approx((1 + mean * mean) / 4 - mean * mean).epsilon(1e-9));
}

// For a pair a0 ∧ a1 of k booleans the class means differ by δ = 4/3 on both coordinates.
//
// `tight`: g = δ/(2δ²) = 3/8 on both, so Σg² = 9/32. The scale is t = Δ/ε = 2k, and the variance of the noise is 2t² =
// 8k². The ratio 9k²/4/(c²/4) is 123 for k = 8 and 492 for k = 16.
//
// `paper`: v = (1,1), the threshold is 1, and ⟨v,δ⟩ = 8/3, so Σg² = (2 + 1/k)·9/64. The scale is 2√(2k(k+1)), and the
// variance is 16k(k+1). The ratio 9(2k+1)(k+1)/4/(c²/4) is 294 and 1078.
//
// The variance of discrete Laplace noise is below 2t² by 1/6 + O(t^-2), here by less than 0.04 %.
TEST_CASE("the variance of pairs over the one-query limit is right for both calibrations") {
  struct Case {
    int k;
    LaplaceCalibration calibration;
    double ratio;
  };
  for (const auto& [k, calibration, ratio] :
       {Case{8, LaplaceCalibration::kTight, 123}, Case{16, LaplaceCalibration::kTight, 492},
        Case{8, LaplaceCalibration::kPaper, 294}, Case{16, LaplaceCalibration::kPaper, 1078}}) {
    const Task task = laplace_task(boolean_schema(k), "1", {.calibration = calibration, .shares = {}});
    const LinearQuery linear = linear_of(task, "a0 and a1");
    const double n = k;
    const double derived = calibration == LaplaceCalibration::kTight ? 9 * n * n / 4 : 9 * (2 * n + 1) * (n + 1) / 4;
    CHECK(noise(task, linear) == doctest::Approx(derived).epsilon(0.0005));
    CHECK(noise(task, linear) / limit(1) == doctest::Approx(ratio).epsilon(0.005));
  }
}

TEST_CASE("the calibration decides the direction of a query") {
  const Task tight = laplace_task(boolean_schema(4), "1");
  const Task paper = laplace_task(boolean_schema(4), "1", {.calibration = LaplaceCalibration::kPaper, .shares = {}});
  const std::string text = "a0 and (a1 or a2)";
  // In the direction of the largest margin a0 has the largest weight. The paper's decision list is (not a0: no, a1:
  // yes, a2: yes, else: no). Its weights are 1 for a1 and a2, and 1 + 2·1 = 3 for a0.
  const LinearQuery by_margin = linear_of(tight, text);
  REQUIRE(by_margin.weights.size() == 3);
  CHECK(by_margin.weights.back().coordinate == 2);
  const LinearQuery by_paper = linear_of(paper, text);
  REQUIRE(by_paper.weights.size() == 4);
  CHECK(by_paper.weights.back().coordinate == 4);  // the homogeneous coordinate
  CHECK(by_paper.weights[0].value == doctest::Approx(3 * by_paper.weights[1].value).epsilon(1e-12));
  // The mean over the 3 records that satisfy the query is (1, 1/3, 1/3). The mean over the other 5 is (-3/5, -1/5,
  // -1/5).
  CHECK(by_margin.weights[0].value == doctest::Approx(3 * by_margin.weights[1].value).epsilon(1e-12));
  CHECK(compile(paper, "a0 + a1 = 1").error().code == ErrorCode::kQueryNotCovered);
}

// An attribute with a smaller share of ε has more noise, and so smaller weights.
TEST_CASE("weights follow from the noise of each attribute") {
  const Task task = laplace_task(boolean_schema(2), "1", {.calibration = LaplaceCalibration::kTight, .shares = {1, 3}});
  const LaplaceChannel& laplace = laplace_of(task);
  const LinearQuery linear = linear_of(task, "a0 and a1");
  REQUIRE(linear.weights.size() == 2);
  CHECK(linear.weights[0].value * laplace.noise_variance(0) ==
        doctest::Approx(linear.weights[1].value * laplace.noise_variance(1)).epsilon(1e-12));
  CHECK(laplace.noise_variance(0) > 8 * laplace.noise_variance(1));
}

}  // namespace
}  // namespace hearsay::compiler
