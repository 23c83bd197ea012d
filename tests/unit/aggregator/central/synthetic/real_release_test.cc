#include "aggregator/central/synthetic/real_release.h"

#include <doctest/doctest.h>

#include <cmath>

#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/unit/aggregator/central/synthetic/classes.h"

namespace hearsay::central {
namespace {

using tests::eps;
using tests::kInfinity;
using tests::kNaN;

RealRelease release_of(unsigned resolution_bits) {
  const QueryClass queries = QueryClass::linear({{1, 0.5, 0}, {0.25, 0, 1}, {0, 1, 0.75}}, 4).value();
  return RealRelease::create(queries, 3, resolution_bits, eps("1"), eps("0.25")).value();
}

double real(BitSource& bits, double most) { return most * static_cast<double>(uniform_below(bits, 0)) * 0x1p-64; }

// Tries pairs at an L1 distance of at most 1. In every other pair a weight just crosses a step. With a tenth of the
// noise this test would fail.
TEST_CASE("the loss between neighbours whose rows have real weights is at most alpha") {
  tests::CounterBitSource bits("real neighbours");
  const RealRelease release = release_of(4);
  double largest = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<double> first;
    std::vector<double> second;
    double left = 1;
    for (int x = 0; x < 3; ++x) {
      const double weight = trial % 2 == 0 ? real(bits, 6) : static_cast<double>(uniform_below(bits, 96)) / 16;
      const double move = x == 2 ? left : real(bits, left);
      left -= move;
      first.push_back(weight);
      second.push_back(uniform_below(bits, 2) == 0 ? weight + move : std::max(0.0, weight - move));
    }
    const auto a = release.in_units(first);
    const auto b = release.in_units(second);
    std::int64_t apart = 0;
    for (std::size_t x = 0; x < 3; ++x) apart += static_cast<std::int64_t>(a[x]) - static_cast<std::int64_t>(b[x]);
    const double total = std::abs(static_cast<double>(apart)) / release.total_noise().scale().approximate();
    const double selected =
        static_cast<double>(largest_log_ratio(log_law(release.selection(), a), log_law(release.selection(), b)));
    CHECK(selected <= 0.75 + 1e-12);
    CHECK(total <= 0.25 + 1e-12);
    largest = std::max(largest, selected + total);
  }
  CHECK(largest > 0.3);
}

TEST_CASE("weights are rounded down, and every weight has an answer") {
  const RealRelease release = release_of(2);
  CHECK(release.in_units(std::vector{0.24, 0.25, 1.99}) == std::vector<std::uint64_t>{0, 1, 7});
  CHECK(release.in_units(std::vector{kNaN, -1.0, kInfinity}) ==
        std::vector<std::uint64_t>{0, 0, release.selection().capacity()});
  tests::CounterBitSource bits("odd weights");
  CHECK(release.release(std::vector{kNaN, -kInfinity, 1e300}, bits));
  CHECK(release.release(std::vector{0.0, 0.0, 0.0}, bits));
  CHECK_FALSE(release.release(std::vector{1.0}, bits));
  const QueryClass queries = thresholds(3);
  CHECK_FALSE(RealRelease::create(queries, 3, 21, eps("1"), eps("0.5")));
  CHECK_FALSE(RealRelease::create(queries, 3, 4, eps("1"), eps("1")));
}

// Each weight is a third of their total 3,001, which a database of 3 rows can represent. Three errors
// remain, all far below 100: the rounding (3/2^10), the noise of the total (scale below 4.1, above 100 with probability
// e^-24), and the score.
TEST_CASE("answers are close to the answers of a large database") {
  tests::CounterBitSource bits("real accuracy");
  const std::vector<double> data(3, 1000.0 + 1.0 / 3);
  const ScaledRealDatabase released = release_of(10).release(data, bits).value();
  CHECK(*released.database.proved_epsilon == Rational::create(1, 1).value());
  CHECK(std::abs(released.answer(std::vector{1.0, 0.5, 0.0}).value() - 1500.5) < 200);
  CHECK(std::abs(released.answer(std::vector{1.0, 1.0, 1.0}).value() - 3001) < 100);
  CHECK_FALSE(released.answer(std::vector{1.0}));
  CHECK_FALSE(released.answer(std::vector{1.0, kNaN, 0.0}));
}

}  // namespace
}  // namespace hearsay::central
