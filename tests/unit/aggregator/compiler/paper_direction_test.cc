#include "aggregator/compiler/paper_direction.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "aggregator/compiler/compile_literals.h"
#include "common/base/strict_json.h"
#include "tests/support/bit_sources.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

using namespace hearsay;
using namespace hearsay::compiler;
using tests::booleans;
using tests::Generator;
using tests::Universe;

namespace {

double value(const WeightVector& vector, const std::vector<std::int8_t>& embedding) {
  double sum = 0;
  for (const auto& [coordinate, weight] : vector.weights) sum += weight * embedding[coordinate];
  return sum;
}

// Checks (23): f(x) = 1 if and only if ⟨v, a(x)⟩ >= t, for the weights v and the threshold t. The sums have steps of 2,
// so a threshold in the middle of a step leaves a margin of at least 1 on both sides.
void check_separates(const WeightVector& vector, const Universe& universe) {
  for (std::size_t i = 0; i < universe.size(); ++i) {
    const double margin = value(vector, universe.embedding(i)) - vector.threshold;
    REQUIRE((margin >= 0) == universe.f(i));
    REQUIRE(std::abs(margin) >= 1);
  }
}

WeightVector separate(const Schema& schema, const std::string& text) {
  const Literals literals = Literals::create(schema).value();
  const Query query = tests::parse(schema, text);
  const auto vector = separator(analyse(query, schema, tests::work()), schema, literals, tests::work());
  REQUIRE(vector);
  check_separates(*vector, Universe(query, schema, literals));
  return *vector;
}

std::vector<double> weights(const WeightVector& vector) {
  std::vector<double> result;
  for (const auto& weight : vector.weights) result.push_back(weight.value);
  return result;
}

// Returns the product of the homogeneous embeddings (24) of a record and of the query, from their definition. Both are
// unit vectors.
double homogeneous_product(const LinearQuery& linear, const std::vector<std::int8_t>& a) {
  const double root = std::sqrt(static_cast<double>(a.size()));
  double product = 0;
  double squares = 0;
  for (const auto& [coordinate, weight] : linear.weights) {
    product += weight * (coordinate == a.size() ? root : a[coordinate]);
    squares += weight * weight;
  }
  return product / std::sqrt(squares) / (std::sqrt(2.0) * root);
}

// Returns the average margin by (16) and (17): half of the sum over b = 0, 1 of the mean of (2b-1)⟨u_x, v⟩ over the
// records x with f(x) = b, with unit vectors u_x and v.
double average_margin(const LinearQuery& linear, const Universe& universe) {
  double sum = 0;
  for (std::size_t i = 0; i < universe.size(); ++i) {
    const double product = homogeneous_product(linear, universe.embedding(i));
    sum += (universe.f(i) ? product : -product) / static_cast<double>(universe.members(universe.f(i)));
  }
  return sum / 2;
}

Result<LinearQuery> compile_paper(const Query& query, const Schema& schema, const Literals& literals) {
  const std::vector<double> variance(literals.dimension() + 1, 2.0);
  return tests::linear_of(compile_literals(
      query, schema, literals, {.noise_variance = variance, .direction = Direction::kPaper}, tests::work()));
}

}  // namespace

TEST_CASE("monomials and clauses have weights ±1 and a threshold in the middle of a step") {
  const Schema schema = booleans(4);
  const WeightVector monomial = separate(schema, "x0 and not x1 and x3");
  CHECK(weights(monomial) == std::vector<double>{1, -1, 1});
  CHECK(monomial.threshold == 2);  // r - 1 for r = 3 literals
  const WeightVector clause = separate(schema, "x0 or not x1 or x3");
  CHECK(weights(clause) == std::vector<double>{1, -1, 1});
  CHECK(clause.threshold == -2);  // 1 - r for r = 3 literals
  CHECK(separate(schema, "at_least(3, x0, x1, x2)").threshold == separate(schema, "x0 and x1 and x2").threshold);
}

TEST_CASE("literals of every kind of attribute form monomials, and boxes are monomials") {
  const Schema schema = tests::schema_of(
      {Attribute::categorical("c", {"p", "q", "r"}), Attribute::range("n", 1, 5), Attribute::boolean("y")});
  // The coordinates are: c = p, q, r (0 to 2), n >= 2, 3, 4, 5 (3 to 6), and y (7).
  const WeightVector box = separate(schema, "c != q and n in 2..4 and y");
  REQUIRE(box.weights.size() == 4);
  CHECK(box.weights[0].coordinate == 1);
  CHECK(box.weights[1].coordinate == 3);
  CHECK(box.weights[2].coordinate == 6);
  CHECK(box.weights[3].coordinate == 7);
  CHECK(weights(box) == std::vector<double>{-1, 1, -1, 1});
  CHECK(box.threshold == 3);
  CHECK(weights(separate(schema, "c in {p, q} and y")) == std::vector<double>{-1, 1});
  CHECK(weights(separate(schema, "c = r and n >= 3")) == std::vector<double>{1, 1});
  CHECK(weights(separate(schema, "n < 3 or n = 5 or y")) == std::vector<double>{-1, 1, 1});
}

TEST_CASE("the weights of a decision list follow the recursion of Theorem 9") {
  // The recursion begins at the end of the list, with 0 for `else`. Items of one label form a block. {x3, x2} has the
  // label 1, {x1} has 0, and {x0} has 1. So their weights are 1, 1 + 2·1 = 3, and 1 + 2·1 + 1·3 = 6. In coordinates ±1,
  // t = 2·½ - (6 - 3 + 1 + 1) = -4.
  const WeightVector list = separate(booleans(4), "decision_list(x0: yes, x1: no, x2: yes, x3: yes, else: no)");
  CHECK(weights(list) == std::vector<double>{6, -3, 1, 1});
  CHECK(list.threshold == -4);
  const WeightVector negated = separate(booleans(4), "decision_list(x0: yes, not x1: no, x2: yes, x3: yes, else: no)");
  CHECK(weights(negated) == std::vector<double>{6, 3, 1, 1});
  CHECK(negated.threshold == -4);
}

TEST_CASE(
    "the weights of random decision lists over booleans separate the labels, within the bound of Theorem 9 on the "
    "weights") {
  tests::CounterBitSource source("theorem 9");
  Generator random(source);
  double closest = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t k = 1 + random.below(8);
    std::vector<std::size_t> order(k);
    for (std::size_t i = 0; i < k; ++i) order[i] = i;
    for (std::size_t i = k; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    std::string text;
    std::vector<bool> labels;
    for (const std::size_t variable : order) {
      labels.push_back(random.below(2) == 0);
      text +=
          (random.below(2) == 0 ? "x" : "not x") + std::to_string(variable) + (labels.back() ? ": yes, " : ": no, ");
    }
    labels.push_back(random.below(2) == 0);
    text = "decision_list(" + text + (labels.back() ? "else: yes)" : "else: no)");
    double changes = 0;  // the number c of changes of the label
    for (std::size_t i = 0; i + 1 < labels.size(); ++i) changes += labels[i] != labels[i + 1] ? 1 : 0;
    if (changes == 0) continue;
    CAPTURE(text);
    const WeightVector vector = separate(booleans(k), text);
    // The bound is (1 + (k-1)/(c-1))^(c-1) for k literals, and 1 if c = 1.
    const double n = static_cast<double>(k);
    const double bound = changes == 1 ? 1 : std::pow(1 + (n - 1) / (changes - 1), changes - 1);
    for (const double weight : weights(vector)) {
      CHECK(std::abs(weight) <= bound * (1 + 1e-12));
      closest = std::max(closest, std::abs(weight) / bound);
    }
  }
  CHECK(closest > 0.99);  // the bound is attained, for example by k = c = 2
}

TEST_CASE(
    "the weights of random queries separate the labels, and satisfy (19) by definition in the homogeneous embedding") {
  tests::CounterBitSource source("section 6");
  Generator random(source);
  std::array<int, 8> covered{};
  for (int round = 0; round < 200; ++round) {
    const Schema schema = random.schema();
    const Literals literals = Literals::create(schema).value();
    for (const auto kind : Generator::kKinds) {
      const std::string text = random.query(schema, kind);
      CAPTURE(text);
      CAPTURE(schema.to_json());
      const Query query = tests::parse(schema, text);
      const auto linear = compile_paper(query, schema, literals);
      if (!linear) {
        CHECK(linear.error().code == ErrorCode::kQueryNotCovered);
        continue;
      }
      ++covered[static_cast<std::size_t>(kind)];
      const Universe universe(query, schema, literals);
      if (universe.relevant() == 0) continue;
      CHECK(linear->margin == doctest::Approx(average_margin(*linear, universe)).epsilon(1e-10));
      for (const bool b : {false, true}) {
        const auto [mean, variance] = universe.moments(*linear, b);
        CHECK(std::abs(mean - (b ? 1 : 0)) < 1e-10);
        CHECK(std::abs(linear->class_variance[b ? 1 : 0] - variance) < 1e-10 * (1 + variance));
      }
      CHECK(linear->guarantee == (universe.relevant() == 1 ? Guarantee::kWorstCase : Guarantee::kAverageCase));
      for (std::size_t i = 0; i < universe.size(); ++i) {
        REQUIRE((homogeneous_product(*linear, universe.embedding(i)) > 0) == universe.f(i));
      }
    }
  }
  CHECK(covered[static_cast<std::size_t>(Generator::Kind::kBox)] == 200);
  CHECK(covered[static_cast<std::size_t>(Generator::Kind::kLinear)] >= 150);
  for (const int count : covered) CHECK(count > 30);
}

TEST_CASE("a query for which the paper's section 6 has no weights is refused, and the error gives the reason") {
  const Schema schema = tests::schema_of(
      {Attribute::range("n", 0, 9), Attribute::boolean("y"), Attribute::boolean("z"), Attribute::boolean("w")});
  const Literals literals = Literals::create(schema).value();
  const auto code = [&](const std::string& text) {
    const auto linear = compile_paper(tests::parse(schema, text), schema, literals);
    REQUIRE_FALSE(linear);
    return linear.error().code;
  };
  CHECK(code("(y and z) or (w and n > 4)") == ErrorCode::kQueryNotCovered);
  CHECK(code("decision_list(n in 3..5: yes, y: no, z: yes, else: no)") == ErrorCode::kQueryNotCovered);
  CHECK(code("n in {2, 5, 7}") == ErrorCode::kQueryNotCovered);
  CHECK(code("(y and not z) or (z and not y)") == ErrorCode::kQueryNotCovered);
  // 50 changes of the label make weights up to 2^49 and sums below 2^53, the limit.
  const auto alternating = [](std::size_t items) {
    std::string text;
    for (std::size_t i = 0; i < items; ++i) text += "x" + std::to_string(i) + (i % 2 == 0 ? ": yes, " : ": no, ");
    return "decision_list(" + text + "else: " + (items % 2 == 0 ? "yes)" : "no)");
  };
  const Schema many = booleans(60);
  const Literals many_literals = Literals::create(many).value();
  CHECK(compile_paper(tests::parse(many, alternating(50)), many, many_literals));
  const auto refused = compile_paper(tests::parse(many, alternating(60)), many, many_literals);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kQueryNotCovered);
}

// Erratum of the paper. With one weight on each of the d = k·(J-1) thermometer literals, Lemma 9 gives boxes a minimum
// margin of 1/(4d). With the paper's 2kJ variables the lemma gives 1/(8kJ). The printed 1/(4k²J) is larger than this
// for k = 1 and smaller for k > 2.
TEST_CASE("Lemma 9 for boxes: the minimum margin is at least 1/(4d), and at least 1/(8kJ)") {
  constexpr std::uint32_t kValues = 4;
  for (const std::uint32_t k : {1U, 2U, 3U}) {
    std::vector<Result<Attribute>> attributes;
    for (std::uint32_t i = 0; i < k; ++i) attributes.push_back(Attribute::range("n" + std::to_string(i), 1, kValues));
    const Schema schema = tests::schema_of(std::move(attributes));
    const Literals literals = Literals::create(schema).value();
    const auto d = static_cast<double>(literals.dimension());
    tests::CounterBitSource source("lemma 9");
    Generator random(source);
    double least = 1;
    for (int round = 0; round < 60; ++round) {
      const Query query = tests::parse(schema, random.query(schema, Generator::Kind::kBox));
      const auto linear = compile_paper(query, schema, literals);
      REQUIRE(linear);
      if (linear->weights.empty()) continue;
      const Universe universe(query, schema, literals);
      for (std::size_t i = 0; i < universe.size(); ++i) {
        least = std::min(least, std::abs(homogeneous_product(*linear, universe.embedding(i))));
      }
    }
    CHECK(least >= 1 / (4 * d));
    CHECK(least >= 1.0 / (8 * k * kValues));
    if (k != 2) CHECK(1.0 / (8 * k * kValues) != 1.0 / (4 * k * k * kValues));
  }
}

// Erratum of the paper. The homogeneous coordinate is a public constant plus noise, so its weight only adds variance.
TEST_CASE("without the constant coordinate the estimate stays unbiased and has a smaller variance") {
  const Schema schema = booleans(5);
  const Literals literals = Literals::create(schema).value();
  const Query query = tests::parse(schema, "x0 and not x2 and x4");
  auto linear = compile_paper(query, schema, literals);
  REQUIRE(linear);
  REQUIRE(linear->weights.back().coordinate == 5);
  const auto noise = [](const LinearQuery& q) {
    double sum = 0;
    for (const auto& weight : q.weights) sum += 2.0 * weight.value * weight.value;
    return sum;
  };
  // With v = (1,-1,1), t = 2 and d = 5, the share of the constant coordinate's noise is (t²/d)/(3 + t²/d) = 4/19.
  const double with = noise(*linear);
  linear->weights.pop_back();
  CHECK(noise(*linear) == doctest::Approx(with * 15 / 19).epsilon(1e-12));
  const Universe universe(query, schema, literals);
  for (const bool b : {false, true}) CHECK(std::abs(universe.moments(*linear, b).mean - (b ? 1 : 0)) < 1e-12);
}
