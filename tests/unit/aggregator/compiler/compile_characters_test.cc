#include "aggregator/compiler/compile_characters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tests/support/bit_sources.h"
#include "tests/support/small_domains.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

namespace hearsay::compiler {
namespace {

using tests::all_records;
using tests::booleans;
using tests::CounterBitSource;
using tests::Generator;
using tests::parse;
using tests::schema_of;

using Attributes = std::vector<std::uint32_t>;

double equal_variance(std::span<const std::uint32_t>) { return 1; }

// Returns a variance from 1 to about 50, which differs between most sets of attributes.
double unequal_variance(std::span<const std::uint32_t> attributes) {
  double variance = 1;
  for (const std::uint32_t attribute : attributes) variance *= 1.3 + (attribute * 7 + 3) % 5;
  return 1 + std::fmod(variance * 11.7, 50);
}

double sign(std::span<const Factor> factors, std::span<const std::uint32_t> values) {
  return parity(factors, values) == 0 ? 1 : -1;
}

// Returns offset + ⟨a, g⟩ for any bit patterns, also for patterns that stand for no value.
double value(const LinearQuery& linear, const Characters& characters, std::span<const std::uint32_t> patterns) {
  double sum = linear.offset;
  for (const auto& [coordinate, weight] : linear.weights) {
    sum += weight * sign(characters.factors(coordinate), patterns);
  }
  return sum;
}

Attributes attributes_of(const Characters& characters, std::uint32_t coordinate) {
  Attributes attributes;
  for (const Factor& factor : characters.factors(coordinate)) attributes.push_back(factor.attribute);
  return attributes;
}

Attributes relevant(const Query& query, const Schema& schema) {
  std::set<std::uint32_t> found;
  for (const Record& record : all_records(schema)) {
    for (std::uint32_t i = 0; i < schema.size(); ++i) {
      std::vector<std::uint32_t> changed(record.values().begin(), record.values().end());
      changed[i] = 0;
      if (query.evaluate(changed) != query.evaluate(record)) found.insert(i);
    }
  }
  return {found.begin(), found.end()};
}

void check_form(const LinearQuery& linear, const Characters& characters, const Attributes& depends_on) {
  CHECK(linear.guarantee == Guarantee::kWorstCase);
  CHECK(linear.class_variance == std::array<double, 2>{0, 0});
  CHECK(linear.class_mean_variance == std::array<double, 2>{0, 0});
  double squared_norm = 0;
  for (std::size_t i = 0; i < linear.weights.size(); ++i) {
    const auto& [coordinate, weight] = linear.weights[i];
    REQUIRE(coordinate < characters.dimension());
    if (i > 0) REQUIRE(linear.weights[i - 1].coordinate < coordinate);
    REQUIRE(std::abs(weight) > 1e-15);
    squared_norm += weight * weight;
    for (const std::uint32_t attribute : attributes_of(characters, coordinate)) {
      REQUIRE(std::binary_search(depends_on.begin(), depends_on.end(), attribute));
    }
  }
  if (depends_on.empty()) {
    CHECK(linear.weights.empty());
    CHECK(linear.margin == 0);
  } else {
    const double expected = 1 / (2 * std::sqrt(static_cast<double>(characters.dimension()) * squared_norm));
    CHECK(linear.margin == doctest::Approx(expected).epsilon(1e-12).scale(0));
  }
}

void check_exact(const LinearQuery& linear, const Query& query, const Schema& schema, const Characters& characters) {
  std::vector<std::int8_t> a(characters.dimension());
  for (const Record& record : all_records(schema)) {
    characters.encode(record, a);
    double sum = linear.offset;
    for (const auto& [coordinate, weight] : linear.weights) sum += weight * a[coordinate];
    REQUIRE(std::abs(sum - (query.evaluate(record) ? 1 : 0)) < 1e-12);
  }
}

// Checks that the padding has the least noise ½·Σ variance·g². The gradient with respect to a cell of the query's
// attributes is Σ variance·g·χ(cell)/(number of cells), where χ(cell) is the sign of the coordinate. The gradient must
// be 0 in every cell that is no combination of values.
void check_padding(const LinearQuery& linear, const Schema& schema, const Characters& characters,
                   const Attributes& depends_on, const SubsetVariance& variance) {
  std::vector<std::uint32_t> patterns(schema.size(), 0);
  std::vector<double> weighted;
  std::vector<std::vector<Factor>> factors;
  double scale = 0;
  for (const auto& [coordinate, weight] : linear.weights) {
    weighted.push_back(weight * variance(attributes_of(characters, coordinate)));
    factors.push_back(characters.factors(coordinate));
    scale += std::abs(weighted.back());
  }
  for (;;) {
    const bool padding = std::any_of(depends_on.begin(), depends_on.end(),
                                     [&](std::uint32_t i) { return patterns[i] >= schema[i].size(); });
    if (padding) {
      double gradient = 0;
      for (std::size_t i = 0; i < weighted.size(); ++i) {
        gradient += weighted[i] * sign(factors[i], patterns);
      }
      REQUIRE(std::abs(gradient) < 1e-12 * scale);
    }
    auto digit = depends_on.rbegin();
    while (digit != depends_on.rend() && patterns[*digit] + 1 == 1U << bits_of(schema[*digit])) patterns[*digit++] = 0;
    if (digit == depends_on.rend()) return;
    ++patterns[*digit];
  }
}

void check_query(const Schema& schema, std::uint32_t order, const Query& query) {
  const Characters characters = Characters::create(schema, order).value();
  const Attributes depends_on = relevant(query, schema);
  for (const SubsetVariance& variance : {SubsetVariance(equal_variance), SubsetVariance(unequal_variance)}) {
    const auto linear = compile_characters(query, schema, characters, variance, tests::work());
    if (depends_on.size() > order) {
      REQUIRE_FALSE(linear);
      CHECK(linear.error().code == ErrorCode::kQueryNotCovered);
      CHECK(linear.error().message.starts_with("the query depends on " + std::to_string(depends_on.size()) +
                                               " attributes; this task (characters of order " + std::to_string(order) +
                                               ") answers queries on at most " + std::to_string(order) + ": "));
      continue;
    }
    REQUIRE(linear);
    check_form(*linear, characters, depends_on);
    check_exact(*linear, query, schema, characters);
    check_padding(*linear, schema, characters, depends_on, variance);
  }
}

LinearQuery compiled(const Schema& schema, std::uint32_t order, const std::string& text) {
  const Characters characters = Characters::create(schema, order).value();
  const auto linear = compile_characters(parse(schema, text), schema, characters, equal_variance, tests::work());
  REQUIRE(linear);
  return *linear;
}

double squared_norm(const LinearQuery& linear) {
  double sum = 0;
  for (const auto& weight : linear.weights) sum += weight.value * weight.value;
  return sum;
}

// Returns a schema of 1 to 4 attributes of every kind, with 2 to 9 values, and at most 300 records.
Schema random_schema(Generator& random) {
  std::string shape;
  std::uint64_t records = 1;
  const std::uint64_t attributes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < attributes; ++i) {
    const std::uint64_t size = 2 + random.below(8);
    if (records * size > 300) break;
    records *= size;
    const std::uint64_t kind = random.below(size == 2 ? 3 : 2);
    shape += kind == 2 ? std::string("b ") : (kind == 1 ? "r" : "c") + std::to_string(size) + " ";
  }
  return schema_of(shape);
}

TEST_CASE("random queries of every kind are refused, or compiled exactly and with the padding of least noise") {
  CounterBitSource bits("compile characters");
  Generator random(bits);
  std::map<std::size_t, int> by_attributes;
  int refused = 0;
  for (int run = 0; run < 70; ++run) {
    const Schema schema = random_schema(random);
    for (const Generator::Kind kind : Generator::kKinds) {
      const std::string text = random.query(schema, kind);
      CAPTURE(text);
      const Query query = parse(schema, text);
      const std::size_t depends_on = relevant(query, schema).size();
      for (std::uint32_t order = 1; order <= std::min<std::size_t>(schema.size(), 3); ++order) {
        check_query(schema, order, query);
        ++(depends_on <= order ? by_attributes[depends_on] : refused);
      }
    }
  }
  for (std::size_t attributes = 0; attributes <= 3; ++attributes) CHECK(by_attributes[attributes] > 30);
  CHECK(refused > 30);
}

TEST_CASE("every kind of query on a mixed schema is compiled exactly") {
  const Schema schema = schema_of("b c5 r6 b r3");  // the attributes are a0 … a4, and their ranges begin at -2
  const std::vector<std::string> texts = {
      "a0",
      "not a0",
      "a1 in {v0, v3}",
      "a2 in -1..2",
      "a0 and a1 = v2",
      "not (a0 and a3)",
      "a0 or a2 >= 1 or a3",
      "at_least(2, a0, a1 in {v1, v4}, a2 < 0)",
      "at_least(2, a0, a3)",
      "2*a2 - 3*a4 >= 1",
      "a0 + a3 + a4 >= 1",
      "decision_list(a0: yes, a2 = 3: no, a1 = v1: yes, else: no)",
      "a1 in {v1, v2, v3} and a2 in 0..2",
      "a0 and a1 = v0 and a2 = 0",
      "a0 and a1 = v0 and a2 = 0 and a3",
      "a0 and not a3 or not a0 and a3",
      "a0 or not a0",
      "a1 = v0 and a1 = v1",
  };
  for (const std::string& text : texts) {
    CAPTURE(text);
    const Query query = parse(schema, text);
    for (std::uint32_t order = 1; order <= 4; ++order) check_query(schema, order, query);
  }
}

TEST_CASE("small queries have the coefficients that a calculation by hand gives") {
  // For a boolean the coordinate is (-1)^bit.
  const Schema schema = booleans(3);
  const LinearQuery one = compiled(schema, 2, "x1");
  CHECK(one.offset == 0.5);
  REQUIRE(one.weights.size() == 1);
  CHECK(one.weights[0].coordinate == 1);
  CHECK(one.weights[0].value == -0.5);

  // The query is (1 - a)(1 - b)/4. The coordinates of single attributes come first, and then the pairs {0,1}, {0,2},
  // {1,2}.
  const LinearQuery both = compiled(schema, 2, "x0 and x2");
  CHECK(both.offset == 0.25);
  REQUIRE(both.weights.size() == 3);
  CHECK(both.weights[0].coordinate == 0);
  CHECK(both.weights[0].value == -0.25);
  CHECK(both.weights[1].coordinate == 2);
  CHECK(both.weights[1].value == -0.25);
  CHECK(both.weights[2].coordinate == 4);
  CHECK(both.weights[2].value == 0.25);

  const LinearQuery parity_of_two = compiled(schema, 2, "x0 and not x1 or not x0 and x1");
  CHECK(parity_of_two.offset == 0.5);
  REQUIRE(parity_of_two.weights.size() == 1);
  CHECK(parity_of_two.weights[0].coordinate == 3);
  CHECK(parity_of_two.weights[0].value == -0.5);
  CHECK(parity_of_two.margin == doctest::Approx(1 / std::sqrt(6.0)).epsilon(1e-15).scale(0));
}

TEST_CASE("constants need no coordinate, for any number of attributes that they mention") {
  const Schema schema = booleans(40);
  const LinearQuery always = compiled(schema, 1, "x0 or x1 or not x0");
  CHECK(always.offset == 1);
  CHECK(always.weights.empty());
  CHECK(always.margin == 0);
  CHECK(always.guarantee == Guarantee::kWorstCase);
  const LinearQuery never = compiled(schema, 1, "x0 and x1 and not x0 and x2");
  CHECK(never.offset == 0);
  CHECK(never.weights.empty());
}

TEST_CASE("a query that mentions three attributes but depends on two is compiled at order 2") {
  const Schema schema = schema_of("c3 b r5");
  const LinearQuery plain = compiled(schema, 2, "a0 = v1 and a2 > 0");
  for (const char* const text : {"a0 = v1 and (a2 > 0 and a1 or a2 > 0 and not a1)",
                                 "decision_list(not a0 = v1: no, a2 <= 0: no, a1: yes, else: yes)"}) {
    const LinearQuery other = compiled(schema, 2, text);
    CHECK(other.offset == plain.offset);
    REQUIRE(other.weights.size() == plain.weights.size());
    for (std::size_t i = 0; i < plain.weights.size(); ++i) {
      CHECK(other.weights[i].coordinate == plain.weights[i].coordinate);
      CHECK(other.weights[i].value == plain.weights[i].value);
    }
  }
}

TEST_CASE("a query that touches too many combinations is refused as too large") {
  const Schema schema = booleans(23);
  const Characters characters = Characters::create(schema, 2).value();
  const auto conjunction = [&](std::size_t operands) {
    std::string text = "x0";
    for (std::size_t i = 1; i < operands; ++i) text += " and x" + std::to_string(i);
    return compile_characters(parse(schema, text), schema, characters, equal_variance, tests::work());
  };
  const auto seen = conjunction(22);
  REQUIRE_FALSE(seen);
  CHECK(seen.error().code == ErrorCode::kQueryNotCovered);
  CHECK(seen.error().message.find("depends on 22 attributes") != std::string::npos);
  const auto unseen = conjunction(23);
  REQUIRE_FALSE(unseen);
  CHECK(unseen.error().code == ErrorCode::kLimitExceeded);
  CHECK(unseen.error().message.find("touches 23 attributes") != std::string::npos);
}

// Five values stand in eight patterns, and three of the values satisfy the query. Padded with 0, the query has the
// variance 3/8·5/8 over the patterns. Padded with its mean 3/5, the query has the variance (5/8)·(3/5·2/5).
TEST_CASE("padding by the mean reduces the variance by the factor of a calculation by hand") {
  const double with_zeros = 15.0 / 64;
  const double with_mean = 3.0 / 20;
  const LinearQuery linear = compiled(schema_of("c5 b"), 2, "a0 in {v0, v2, v4}");
  CHECK(squared_norm(linear) == doctest::Approx(with_mean).epsilon(1e-14).scale(0));
  CHECK(with_zeros / squared_norm(linear) > 1.2);
}

TEST_CASE("for unequal variances the padding moves noise to cheaper coordinates") {
  const Schema schema = schema_of("c3 c5");
  const Characters characters = Characters::create(schema, 2).value();
  const Query query = parse(schema, "a0 = v0 and a1 in {v0, v1, v2}");
  const SubsetVariance variance = [](std::span<const std::uint32_t> attributes) {
    return attributes.size() == 1 ? 1.0 : 0.1;
  };
  const auto cost = [&](const LinearQuery& linear) {
    double sum = 0;
    for (const auto& [coordinate, weight] : linear.weights) {
      sum += weight * weight * variance(attributes_of(characters, coordinate));
    }
    return sum;
  };
  const double planned = cost(compile_characters(query, schema, characters, variance, tests::work()).value());
  const double uniform = cost(compile_characters(query, schema, characters, equal_variance, tests::work()).value());
  CHECK(planned < 0.9 * uniform);
}

TEST_CASE("a box on two attributes of 100 values is compiled exactly") {
  const Schema schema = schema_of("r100 b c100");
  const Characters characters = Characters::create(schema, 2).value();
  const Query query = parse(schema, "a0 in 10..59 and a2 in {v3, v50, v51, v99}");
  for (const SubsetVariance& variance : {SubsetVariance(equal_variance), SubsetVariance(unequal_variance)}) {
    const LinearQuery linear = compile_characters(query, schema, characters, variance, tests::work()).value();
    // The range of a0 begins at -2, so 10 has the index 12.
    for (const std::uint32_t a0 : {0U, 11U, 12U, 61U, 62U, 99U}) {
      for (const std::uint32_t a2 : {0U, 3U, 49U, 50U, 51U, 99U}) {
        const std::vector<std::uint32_t> values{a0, 0, a2};
        CHECK(std::abs(value(linear, characters, values) - (query.evaluate(values) ? 1 : 0)) < 1e-12);
      }
    }
  }
}

TEST_CASE("variances that are not positive and finite are refused") {
  const Schema schema = schema_of("c3 b");
  const Characters characters = Characters::create(schema, 2).value();
  const Query query = parse(schema, "a0 = v1 and a1");
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    const SubsetVariance variance = [bad](std::span<const std::uint32_t> attributes) {
      return attributes.size() == 2 ? bad : 1.0;
    };
    const auto linear = compile_characters(query, schema, characters, variance, tests::work());
    REQUIRE_FALSE(linear);
    CHECK(linear.error().code == ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay::compiler
