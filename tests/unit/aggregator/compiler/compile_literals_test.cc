#include "aggregator/compiler/compile_literals.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "common/base/strict_json.h"
#include "tests/support/bit_sources.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

using namespace hearsay;
using namespace hearsay::compiler;
using tests::Generator;
using tests::Universe;

namespace {

constexpr double kExact = 1e-10;  // for sums of at most 3125 terms of order 1 in double precision

std::vector<double> block_variances(const Literals& literals, Generator& random, bool equal) {
  std::vector<double> variance;
  for (const AttributeBlock& block : literals.blocks()) {
    variance.resize(variance.size() + block.size, equal ? 8.0 : 1.0 + static_cast<double>(random.below(50)));
  }
  return variance;
}

double half_margin(const Universe& universe, const LinearQuery& linear, std::size_t dimension) {
  double product = 0;
  double squares = 0;
  for (const auto& [coordinate, weight] : linear.weights) {
    product += weight * universe.delta(coordinate);
    squares += weight * weight;
  }
  return 0.5 * product / std::sqrt(static_cast<double>(dimension) * squares);
}

void check_worst_case(const Universe& universe, const LinearQuery& linear) {
  for (std::size_t i = 0; i < universe.size(); ++i) {
    REQUIRE(universe.value(linear, i) == doctest::Approx(universe.f(i) ? 1 : 0).epsilon(kExact));
  }
  CHECK(linear.class_variance == std::array<double, 2>{0, 0});
}

void check_average_case(const Universe& universe, const LinearQuery& linear) {
  for (const bool b : {false, true}) {
    const auto [mean, variance] = universe.moments(linear, b);
    CHECK(std::abs(mean - (b ? 1 : 0)) < kExact);
    CHECK(linear.class_variance[b ? 1 : 0] == doctest::Approx(variance).epsilon(1e-8));
  }
}

// Checks the direction against the definition in compile_literals.h, with the class means of `universe`.
void check_direction(const Universe& universe, const LinearQuery& linear, std::span<const double> variance) {
  double norm = 0;
  for (std::size_t j = 0; j < variance.size(); ++j) norm += universe.delta(j) * universe.delta(j) / variance[j];
  std::map<std::uint32_t, double> weight;
  for (const auto& [coordinate, value] : linear.weights) weight[coordinate] = value;
  CHECK(weight.size() == linear.weights.size());
  for (std::uint32_t j = 0; j < variance.size(); ++j) {
    CHECK(std::abs(weight[j] - universe.delta(j) / variance[j] / norm) < kExact);
    if (!universe.visible(j)) CHECK(weight.at(j) == 0);
  }
}

void check_against_definition(const std::string& text, const Schema& schema, Generator& random) {
  CAPTURE(text);
  CAPTURE(schema.to_json());
  const Query query = tests::parse(schema, text);
  const Literals literals = Literals::create(schema).value();
  const std::vector<double> variance = block_variances(literals, random, random.below(2) == 0);
  const Universe universe(query, schema, literals);
  const auto linear =
      tests::linear_of(compile_literals(query, schema, literals, {.noise_variance = variance}, tests::work()));
  if (universe.relevant() > 1 && !universe.visible()) {
    REQUIRE_FALSE(linear);
    CHECK(linear.error().code == ErrorCode::kQueryNotVisible);
    return;
  }
  REQUIRE(linear);
  CHECK(linear->class_mean_variance == std::array<double, 2>{0, 0});
  CHECK(linear->guarantee == (universe.relevant() <= 1 ? Guarantee::kWorstCase : Guarantee::kAverageCase));
  if (universe.relevant() == 0) {
    CHECK(linear->weights.empty());
    CHECK(linear->offset == (universe.f(0) ? 1 : 0));
    CHECK(linear->margin == 0);
    return;
  }
  CHECK(linear->margin == doctest::Approx(half_margin(universe, *linear, literals.dimension())).epsilon(kExact));
  if (universe.relevant() == 1) {
    check_worst_case(universe, *linear);
  } else {
    check_average_case(universe, *linear);
    check_direction(universe, *linear, variance);
  }
}

}  // namespace

TEST_CASE(
    "random queries of every kind agree with the definitions of guarantee, class means, variances, margin and "
    "direction") {
  tests::CounterBitSource source("compile random queries");
  Generator random(source);
  for (int round = 0; round < 250; ++round) {
    const Schema schema = random.schema();
    for (const auto kind : Generator::kKinds) check_against_definition(random.query(schema, kind), schema, random);
  }
}
