// Compares queries that are too large for brute force with closed forms. Also tests sampled queries and refusals.
#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/compiler/compile_literals.h"
#include "aggregator/compiler/sample.h"
#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

using namespace hearsay;
using namespace hearsay::compiler;
using tests::booleans;

namespace {

struct Task {
  Schema schema;
  Literals literals;
  std::vector<double> variance;

  explicit Task(Schema s, double v = 8)
      : schema(std::move(s)), literals(Literals::create(schema).value()), variance(literals.dimension(), v) {}

  Result<LinearQuery> compile(const std::string& text, const Digest& key = {}) const {
    return tests::linear_of(compile_literals(tests::parse(schema, text), schema, literals,
                                             {.noise_variance = variance, .sample_key = key}, tests::work()));
  }
  LinearQuery exact(const std::string& text) const {
    auto linear = compile(text);
    REQUIRE(linear);
    CHECK(linear->class_mean_variance == std::array<double, 2>{0, 0});
    return *linear;
  }
};

std::string joined(std::size_t count, const std::string& word) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "x" : word + "x") + std::to_string(i);
  return text;
}

// Joins the pairs (x0, x1), (x2, x3), … by `word`. A pair holds if both attributes hold. If `agree`, a pair also holds
// if neither attribute holds.
std::string pairs(std::size_t count, const std::string& word, bool agree) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string a = "x" + std::to_string(2 * i);
    const std::string b = "x" + std::to_string(2 * i + 1);
    text += (i == 0 ? "" : word) + "(" + a + " and " + b + (agree ? " or not " + a + " and not " + b : "") + ")";
  }
  return text;
}

}  // namespace

TEST_CASE("conjunctions of some of 4096 booleans agree with the closed form") {
  const Task task(booleans(4096));
  for (const std::size_t r : {std::size_t{3}, std::size_t{200}}) {
    const LinearQuery linear = task.exact(joined(r, " and "));
    // Let p = 2^-r be the probability of the conjunction. On each of the r coordinates the class means are m1 = 1 and
    // m0 = -p/(1-p). So δ = m1 - m0 = 1/(1-p), the weight is g = 1/(r·δ), and offset = -r·m0·g = p.
    const double p = std::exp2(-static_cast<double>(r));
    const double delta = 1 / (1 - p);
    REQUIRE(linear.weights.size() == r);
    for (const auto& weight : linear.weights) {
      CHECK(weight.value == doctest::Approx(1 / (static_cast<double>(r) * delta)).epsilon(1e-14));
    }
    CHECK(std::abs(linear.offset - p) < 1e-15);
    CHECK(linear.margin == doctest::Approx(0.5 * delta * std::sqrt(static_cast<double>(r) / 4096)).epsilon(1e-13));
    // Over all records s = ⟨a,g⟩ has mean 0 and variance Σg² = p·E[s²|f=1] + (1-p)·E[s²|f=0]. In class 1, s = 1-p.
    CHECK(linear.class_variance[1] == doctest::Approx(0).epsilon(1e-14));
    const double squares = 1 / (static_cast<double>(r) * delta * delta);
    const double second = (squares - p * (1 - p) * (1 - p)) / (1 - p);
    CHECK(linear.class_variance[0] == doctest::Approx(second - p * p).epsilon(1e-12));
  }
}

TEST_CASE("a weighted threshold of 60 booleans agrees with counting") {
  const Task task(booleans(60));
  std::string text;
  for (int i = 0; i < 60; ++i) text += (i == 0 ? "3*x" : i < 20 ? " + 3*x" : " + x") + std::to_string(i);
  const LinearQuery linear = task.exact(text + " >= 50");
  const auto choose = [](int n, int k) {
    double c = 1;
    for (int i = 0; i < k; ++i) c = c * (n - i) / (i + 1);
    return c;
  };
  std::array<double, 2> count{0, 0};
  // The numbers of heavy and of light attributes that hold, added over the records of each class.
  std::array<double, 2> heavy{0, 0};
  std::array<double, 2> light{0, 0};
  for (int i = 0; i <= 20; ++i) {
    for (int j = 0; j <= 40; ++j) {
      const std::size_t b = 3 * i + j >= 50 ? 1 : 0;
      const double records = choose(20, i) * choose(40, j);
      count[b] += records;
      heavy[b] += records * i;
      light[b] += records * j;
    }
  }
  const double delta_heavy = 2 * (heavy[1] / count[1] - heavy[0] / count[0]) / 20;
  const double delta_light = 2 * (light[1] / count[1] - light[0] / count[0]) / 40;
  const double norm = 20 * delta_heavy * delta_heavy + 40 * delta_light * delta_light;
  REQUIRE(linear.weights.size() == 60);
  CHECK(linear.weights[0].value == doctest::Approx(delta_heavy / norm).epsilon(1e-12));
  CHECK(linear.weights[59].value == doctest::Approx(delta_light / norm).epsilon(1e-12));
  CHECK(linear.margin == doctest::Approx(0.5 * std::sqrt(norm / 60)).epsilon(1e-12));
}

TEST_CASE("boxes over long ranges agree with the closed form") {
  const Task task(tests::schema_of({Attribute::range("n", -1000, 1000), Attribute::range("m", 0, 30'000)}));
  const LinearQuery linear = task.exact("n in -10..10 and m >= 29000");
  // The difference of the class means on the coordinate [m >= 29000]. The condition always holds in class 1, and holds
  // with probability (s-p)/(1-p) in class 0.
  const double s = 1001.0 / 30001;
  const double p = 21.0 / 2001 * s;
  double norm = 0;
  double weight = 0;
  for (const auto& w : linear.weights) {
    norm += w.value * w.value;
    if (w.coordinate == 2000 + 28'999) weight = w.value;
  }
  const double delta = 2 * (1 - (s - p) / (1 - p));
  CHECK(weight == doctest::Approx(delta * norm).epsilon(1e-10));  // g = δ/‖δ‖², so δ = g/‖g‖²
}

// The query holds if at least one of 12 pairs holds, with probability 1-q where q = (3/4)^12. On every coordinate the
// class means are m0 = -1/3 and m1 = q/(3(1-q)).
TEST_CASE("a sampled query states the error of its class means") {
  const Task task(booleans(24));
  const auto linear = task.compile(pairs(12, " or ", false));
  REQUIRE(linear);
  CHECK(linear->guarantee == Guarantee::kAverageCase);
  const double q = std::pow(0.75, 12);
  double sum = 0;        // the sum of the weights g
  double variance0 = 0;  // in class 0 pairs are independent, with Var a = 8/9 and Cov = -4/9 within a pair
  double squares = 0;    // E[⟨a,g⟩²] over all records
  std::vector<double> g(24, 0);
  for (const auto& [coordinate, value] : linear->weights) g[coordinate] = value;
  for (std::size_t i = 0; i < 24; i += 2) {
    sum += g[i] + g[i + 1];
    variance0 += 8.0 / 9 * (g[i] * g[i] + g[i + 1] * g[i + 1] - g[i] * g[i + 1]);
    squares += g[i] * g[i] + g[i + 1] * g[i + 1];
  }
  const double mean0 = -sum / 3;
  const double mean1 = sum * q / (3 * (1 - q));
  const double variance1 = (squares - q * (variance0 + mean0 * mean0)) / (1 - q) - mean1 * mean1;
  // Each of two means and two variances has a false alarm of 1e-9.
  const double z = tests::normal_threshold(1e-9);
  CHECK(std::abs(linear->offset + mean0) <= z * std::sqrt(linear->class_mean_variance[0]));
  CHECK(std::abs(linear->offset + mean1 - 1) <= z * std::sqrt(linear->class_mean_variance[1]));
  // The sample variance of a class has the relative standard deviation √((kurtosis-1)/n). The kurtosis of a sum of 12
  // pairs is below 4.
  const double n0 = q * Sample::kRecords;
  const double n1 = (1 - q) * Sample::kRecords;
  CHECK(std::abs(linear->class_variance[0] / variance0 - 1) < z * std::sqrt(3 / n0));
  CHECK(std::abs(linear->class_variance[1] / variance1 - 1) < z * std::sqrt(3 / n1));
  CHECK(linear->class_mean_variance[0] == doctest::Approx(linear->class_variance[0] / n0).scale(0).epsilon(0.1));
  CHECK(linear->class_mean_variance[1] == doctest::Approx(linear->class_variance[1] / n1).scale(0).epsilon(0.1));
  CHECK(linear->class_members[0] + linear->class_members[1] == Sample::kRecords);
  // The best direction has the margin ½√(Σδ²/d), where each of the d differences δ of class means is (1/3)/(1-q).
  // Sampling errors of δ reduce the margin by about 0.1 %.
  CHECK(linear->margin == doctest::Approx(0.5 / 3 / (1 - q)).epsilon(0.02));
}

// A sample holds cells, not values. So the variance of a class must include the variance of a score within its cell.
TEST_CASE("a sampled query on ranges agrees with a sample of records") {
  std::vector<Result<Attribute>> attributes;
  for (int i = 0; i < 24; ++i) attributes.push_back(Attribute::range("x" + std::to_string(i), 0, 4));
  const Task task(tests::schema_of(std::move(attributes)));
  std::string text;
  for (int i = 0; i < 24; i += 2) {
    text += (i == 0 ? "x" : " or x") + std::to_string(i) + " >= 3 and x" + std::to_string(i + 1) + " >= 3";
  }
  tests::CounterBitSource bits("ranges");
  const auto linear = task.compile(text);
  REQUIRE(linear);
  const Query query = tests::parse(task.schema, text);
  tests::Generator random(bits);
  struct Sums {
    double count = 0, first = 0, second = 0;
  };
  std::array<Sums, 2> sums;
  std::vector<std::uint32_t> values(24);
  std::vector<std::int8_t> a(task.literals.dimension());
  for (int i = 0; i < 100'000; ++i) {
    for (auto& value : values) value = static_cast<std::uint32_t>(random.below(5));
    const Record record = Record::create(task.schema, values).value();
    task.literals.encode(record, a);
    double value = linear->offset;
    for (const auto& weight : linear->weights) value += weight.value * a[weight.coordinate];
    Sums& of_class = sums[query.evaluate(record) ? 1 : 0];
    of_class.count += 1;
    of_class.first += value;
    of_class.second += value * value;
  }
  const double z = tests::normal_threshold(1e-9);
  for (std::size_t b = 0; b < 2; ++b) {
    const double mean = sums[b].first / sums[b].count;
    const double variance = sums[b].second / sums[b].count - mean * mean;
    const double error = std::sqrt(variance / sums[b].count + linear->class_mean_variance[b]);
    CHECK(std::abs(mean - static_cast<double>(b)) < z * error);
    // The variances are sample variances of sums of many independent terms, whose kurtosis is below 4. So each has a
    // relative standard deviation of at most √(3/n).
    const double share0 = std::pow(1 - 0.4 * 0.4, 12);
    const double n = (b == 0 ? share0 : 1 - share0) * Sample::kRecords;
    CHECK(std::abs(variance / linear->class_variance[b] - 1) < z * std::sqrt(3 / sums[b].count + 3 / n));
    // Without the variance within the cells this check would fail.
    CHECK(linear->class_mean_variance[b] * n < linear->class_variance[b] * (1 - 2 * z * std::sqrt(3 / n)));
  }
}

TEST_CASE("the same key gives the same sample, and another key gives another sample") {
  const Task task(booleans(24));
  const std::string text = pairs(12, " or ", false);
  const double offset = task.compile(text, Digest{1})->offset;
  CHECK(task.compile(text, Digest{1})->offset == offset);
  CHECK(task.compile(text, Digest{2})->offset != offset);
}

TEST_CASE("queries whose class means are equal on all literals are refused") {
  const auto code = [&](const Task& task, const std::string& text) {
    const auto linear = task.compile(text);
    REQUIRE_FALSE(linear);
    return linear.error().code;
  };
  const Task two(booleans(3));
  CHECK(code(two, "x0 and not x1 or x1 and not x0") == ErrorCode::kQueryNotVisible);
  CHECK(code(two, "x0 + x1 = 1") == ErrorCode::kQueryNotVisible);
  CHECK(code(two, "decision_list(x0 and x1: yes, x0 or x1: no, else: yes)") == ErrorCode::kQueryNotVisible);
  CHECK(code(two, "at_least(1, x0 + x1 + x2 = 1, x0 and x1 and x2)") == ErrorCode::kQueryNotVisible);
  CHECK(two.compile("at_least(2, x0, x1, x2)"));
  const Task ranges(tests::schema_of({Attribute::range("n", 0, 5), Attribute::categorical("r", {"u", "v"})}));
  CHECK(code(ranges, "n < 3 and r = u or n >= 3 and r = v") == ErrorCode::kQueryNotVisible);
  // Flipping all booleans does not change this query, so its margin is 0. The query is sampled.
  const Task many(booleans(24));
  CHECK(code(many, "at_least(7, " + pairs(12, ", ", true) + ")") == ErrorCode::kQueryNotVisible);
}

TEST_CASE("a query is refused if no sampled record is in one of its classes") {
  const Task task(booleans(40));
  for (const std::string& prefix : {std::string("x0 and "), std::string("not ")}) {
    const auto linear = task.compile(prefix + "(" + pairs(20, " and ", true) + ")");
    REQUIRE_FALSE(linear);
    CHECK(linear.error().code == ErrorCode::kClassTooRare);
    CHECK(linear.error().message.find("131072") != std::string::npos);
  }
}

// The sum of the indicators of a categorical attribute is constant, so its weights g_v may be shifted by a constant. At
// the shift of least noise Σ g_v·variance_v is 0.
TEST_CASE("the weights of a categorical attribute have the least noise") {
  Task task(tests::schema_of({Attribute::boolean("y"), Attribute::categorical("r", {"u", "v", "w", "z"})}));
  task.variance = {3, 1, 2, 5, 40};
  const LinearQuery linear = task.exact("r in {u, z}");
  REQUIRE(linear.weights.size() == 4);
  double slope = 0;
  for (const auto& weight : linear.weights) slope += weight.value * task.variance[weight.coordinate];
  CHECK(std::abs(slope) < 1e-14);
  // One indicator is +1 and the others are -1. The shifted weights must still give the query.
  double sum = 0;
  for (const auto& weight : linear.weights) sum += weight.value;
  for (std::size_t v = 0; v < 4; ++v) {
    CHECK(linear.offset - sum + 2 * linear.weights[v].value ==
          doctest::Approx(v == 0 || v == 3 ? 1 : 0).epsilon(1e-14));
  }
}

TEST_CASE("constant queries need no report") {
  const Task task(booleans(3));
  const LinearQuery always = task.exact("x0 or (x1 and x2) or not x0");
  CHECK(always.offset == 1);
  CHECK(always.weights.empty());
  CHECK(always.guarantee == Guarantee::kWorstCase);
  CHECK(always.margin == 0);
  // Only a table of all values shows that this query is never true.
  CHECK(task.exact("(x0 or x1) and (not x0 or x2) and not x1 and not x2").offset == 0);
}

TEST_CASE("noise variances that are not positive and finite are refused") {
  const Task task(booleans(3));
  const Query query = tests::parse(task.schema, "x0 and x1");
  const auto refused = [&](const std::vector<double>& variance, Direction direction) {
    const auto linear = compile_literals(query, task.schema, task.literals,
                                         {.noise_variance = variance, .direction = direction}, tests::work());
    return !linear && linear.error().code == ErrorCode::kInvalidArgument;
  };
  CHECK(refused({1, 1}, Direction::kMaximumMargin));
  CHECK(refused({1, 1, 1, 1}, Direction::kMaximumMargin));
  CHECK(refused({1, 1, 1}, Direction::kPaper));
  CHECK(refused({1, 0, 1}, Direction::kMaximumMargin));
  CHECK(refused({1, std::nan(""), 1}, Direction::kMaximumMargin));
  CHECK_FALSE(refused({1, 1, 1, 1}, Direction::kPaper));
}

TEST_CASE("each guarantee has a name") {
  CHECK(guarantee_name(Guarantee::kWorstCase) == "worst-case");
  CHECK(guarantee_name(Guarantee::kAverageCase) == "average-case");
}
