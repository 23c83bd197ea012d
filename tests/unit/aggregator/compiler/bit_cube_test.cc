#include "aggregator/compiler/bit_cube.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>

#include "tests/support/bit_sources.h"
#include "tests/support/small_domains.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

namespace hearsay::compiler {
namespace {

using tests::CounterBitSource;

const std::vector<std::string> kShapes = {"b",       "c3",       "c5",     "r9",          "b b",      "c3 b",
                                          "c3 c3",   "r5 c7",    "c9 r3",  "b c3 b",      "c3 c5 c3", "r3 b r9",
                                          "c4 c3 b", "c6 r5 c3", "r17 c3", "c3 c3 c3 c3", "b c3 c5 b"};

BitCube cube_of(const Schema& schema) {
  std::vector<std::uint32_t> attributes(schema.size());
  std::iota(attributes.begin(), attributes.end(), 0U);
  return BitCube(schema, attributes);
}

double uniform(BitSource& bits) { return static_cast<double>(bits.bits(32)) * 0x1p-32; }

double sign(std::size_t masks, std::size_t cell) { return std::popcount(masks & cell) % 2 == 0 ? 1 : -1; }

std::vector<double> slow_transform(const std::vector<double>& f) {
  std::vector<double> g(f.size(), 0);
  for (std::size_t masks = 0; masks < f.size(); ++masks) {
    for (std::size_t cell = 0; cell < f.size(); ++cell) g[masks] += sign(masks, cell) * f[cell];
  }
  return g;
}

double largest(const std::vector<double>& f) {
  double most = 0;
  for (const double value : f) most = std::max(most, std::abs(value));
  return most;
}

// Returns a random variance for each nonempty set of axes, from 1 to `ratio`. Its logarithm is uniform.
std::vector<double> random_variances(std::size_t axes, double ratio, BitSource& bits) {
  std::vector<double> variance(std::size_t{1} << axes, 0);
  for (std::size_t set = 1; set < variance.size(); ++set) variance[set] = std::pow(ratio, uniform(bits));
  return variance;
}

// Returns a multiple of the largest gradient of Σ variance·g² in a padding cell, where g is the transform of f. The
// variances are scaled to at most 1. The sum is convex, so the padding is optimal if the gradient is 0.
double largest_gradient(const BitCube& cube, const std::vector<double>& variance, const std::vector<double>& f) {
  std::vector<double> g = slow_transform(f);
  const double most = largest(variance);
  for (std::size_t masks = 0; masks < g.size(); ++masks) {
    g[masks] *= masks == 0 ? 0 : variance[cube.support(masks)] / most / static_cast<double>(cube.size());
  }
  const std::vector<double> gradient = slow_transform(g);
  double worst = 0;
  for (std::size_t cell = 0; cell < cube.size(); ++cell) {
    if (cube.is_padding(cell)) worst = std::max(worst, std::abs(gradient[cell]));
  }
  return worst;
}

TEST_CASE("cells are the combinations of bit patterns, and the pattern of the last attribute changes fastest") {
  const BitCube cube = cube_of(tests::schema_of("b c5 r3"));
  REQUIRE(cube.size() == 2 * 8 * 4);
  for (std::uint32_t a = 0; a < 2; ++a) {
    for (std::uint32_t b = 0; b < 8; ++b) {
      for (std::uint32_t c = 0; c < 4; ++c) {
        const std::size_t cell = (a * 8 + b) * 4 + c;
        CHECK(BitCube::pattern(cube.axes()[0], cell) == a);
        CHECK(BitCube::pattern(cube.axes()[1], cell) == b);
        CHECK(BitCube::pattern(cube.axes()[2], cell) == c);
        CHECK(cube.is_padding(cell) == (b >= 5 || c >= 3));
        CHECK(cube.support(cell) == (a != 0 ? 1U : 0U) + (b != 0 ? 2U : 0U) + (c != 0 ? 4U : 0U));
      }
    }
  }
  CHECK(cube.has_padding());
  CHECK_FALSE(cube_of(tests::schema_of("b c4 r8")).has_padding());
}

TEST_CASE("the transform is the sum over cells with the signs of the characters") {
  CounterBitSource bits("transform");
  for (std::size_t size = 1; size <= 256; size *= 2) {
    std::vector<double> f(size);
    for (double& value : f) value = uniform(bits) - 0.5;
    const std::vector<double> expected = slow_transform(f);
    std::vector<double> g = f;
    walsh_hadamard(g);
    for (std::size_t masks = 0; masks < size; ++masks) CHECK(std::abs(g[masks] - expected[masks]) < 1e-13);
    walsh_hadamard(g);
    for (std::size_t cell = 0; cell < size; ++cell) {
      CHECK(std::abs(g[cell] / static_cast<double>(size) - f[cell]) < 1e-15);
    }
  }
}

TEST_CASE(
    "the gradient at the optimal padding is 0, and the padding keeps the values of the query, for all variances") {
  CounterBitSource bits("padding");
  for (const std::string& shape : kShapes) {
    const BitCube cube = cube_of(tests::schema_of(shape));
    for (const double ratio : {1.0, 2.0, 100.0, 1e6}) {
      for (int run = 0; run < 3; ++run) {
        CAPTURE(shape);
        CAPTURE(ratio);
        const std::vector<double> variance = random_variances(cube.axes().size(), ratio, bits);
        std::vector<double> f(cube.size());
        for (double& value : f) value = uniform(bits) < 0.4 ? 1 : 0;
        std::vector<double> filled = f;
        cube.fill_padding(variance, filled, tests::work());
        for (std::size_t cell = 0; cell < cube.size(); ++cell) {
          if (!cube.is_padding(cell)) REQUIRE(filled[cell] == f[cell]);
        }
        CHECK(largest_gradient(cube, variance, filled) < 1e-14 * std::max(1.0, largest(filled)));
      }
    }
  }
}

TEST_CASE("with equal variances the optimal padding is the mean of the values") {
  CounterBitSource bits("mean");
  for (const std::string& shape : kShapes) {
    CAPTURE(shape);
    const BitCube cube = cube_of(tests::schema_of(shape));
    std::vector<double> f(cube.size());
    double sum = 0;
    double count = 0;
    for (std::size_t cell = 0; cell < cube.size(); ++cell) {
      f[cell] = uniform(bits);
      if (cube.is_padding(cell)) continue;
      sum += f[cell];
      ++count;
    }
    cube.fill_padding(std::vector<double>(std::size_t{1} << cube.axes().size(), 7.25), f, tests::work());
    for (std::size_t cell = 0; cell < cube.size(); ++cell) {
      if (cube.is_padding(cell)) CHECK(std::abs(f[cell] - sum / count) < 1e-15);
    }
  }
}

TEST_CASE("with one attribute the optimal padding is the mean for every variance") {
  const BitCube cube = cube_of(tests::schema_of("c5"));
  std::vector<double> f{1, 0, 0, 1, 0, 9, 9, 9};
  cube.fill_padding(std::vector<double>{0, 1e-3}, f, tests::work());
  for (std::size_t cell = 5; cell < 8; ++cell) CHECK(std::abs(f[cell] - 0.4) < 1e-15);
}

// Two attributes have three values each, in four bit patterns. The query holds for one pair of values. Coordinates on
// both attributes cost almost nothing. So the padding must remove the parts on one attribute alone: all rows and all
// columns must have the same mean.
TEST_CASE("if coordinates on pairs cost almost nothing, the padding gives all rows and columns the same mean") {
  const BitCube cube = cube_of(tests::schema_of("c3 c3"));
  std::vector<double> f(16, 0);
  f[0] = 1;
  cube.fill_padding(std::vector<double>{0, 1, 1, 1e-9}, f, tests::work());
  std::vector<double> row(4, 0);
  std::vector<double> column(4, 0);
  for (std::size_t cell = 0; cell < 16; ++cell) {
    row[cell / 4] += f[cell] / 4;
    column[cell % 4] += f[cell] / 4;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::abs(row[i] - row[0]) < 1e-8);
    CHECK(std::abs(column[i] - row[0]) < 1e-8);
  }
}

}  // namespace
}  // namespace hearsay::compiler
