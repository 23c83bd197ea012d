#include "aggregator/central/intervals/interval_release.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

using tests::kNaN;
using tests::ratio;

IntervalRelease release_of(unsigned bits, const char* alpha, const Rational& error) {
  return IntervalRelease::create(Grid::create(0, 1, bits).value(), Epsilon::parse(alpha).value(), error).value();
}

// Returns the largest |released - true| fraction over all intervals, from the two distribution functions.
double worst_error(const ReleasedPoints& released, std::vector<std::uint64_t> cells, std::uint64_t grid_cells) {
  std::sort(cells.begin(), cells.end());
  double low = 0;
  double high = 0;
  for (std::uint64_t y = 0; y < grid_cells; ++y) {
    const auto below = std::upper_bound(cells.begin(), cells.end(), y) - cells.begin();
    const double truth = static_cast<double>(below) / static_cast<double>(cells.size());
    const double difference = released.fraction(CellInterval{0, y}).value() - truth;
    low = std::min(low, difference);
    high = std::max(high, difference);
  }
  return high - low;
}

// Makes 1,000 runs at the number of rows of the theorem for each of three shapes of data. At most a share δ may fail.
// False alarm: 3e-6.
TEST_CASE("at the number of rows of Theorem 4.2 all intervals are within the bound") {
  tests::CounterBitSource bits("interval utility");
  constexpr double kDelta = 0.1;
  constexpr std::uint64_t kCells = 64;
  const IntervalRelease mechanism = release_of(6, "1", ratio(1, 2));
  CHECK(mechanism.error_bound() <= 7.0 / 12 * 0.5);
  const std::uint64_t n = mechanism.rows_needed(kDelta).value();
  CHECK(n == static_cast<std::uint64_t>(std::ceil(32 * 6 * std::log(4 * 6 / (0.5 * kDelta)) / 0.125 + 16)));
  for (int shape = 0; shape < 3; ++shape) {
    std::vector<std::uint64_t> cells(n);
    for (std::uint64_t i = 0; i < n; ++i) cells[i] = shape == 0 ? i % kCells : shape == 1 ? 37 : i % 3 == 0 ? 5 : i % 7;
    std::uint64_t failures = 0;
    for (int run = 0; run < 1000; ++run) {
      const ReleasedPoints released = mechanism.release_cells(cells, bits).value();
      failures += worst_error(released, cells, kCells) > mechanism.error_bound() ? 1 : 0;
    }
    CHECK(failures <= tests::binomial_band(1000, kDelta, 2e-6).high);
  }
}

TEST_CASE("equal rows cannot be divided, but intervals about them have answers") {
  tests::CounterBitSource bits("interval atom");
  const IntervalRelease mechanism = release_of(10, "1", ratio(1, 5));
  const std::vector<std::uint64_t> cells(2'000'000, 700);
  const ReleasedPoints released = mechanism.release_cells(cells, bits).value();
  CHECK(released.fraction(CellInterval{700, 700}).value() ==
        doctest::Approx(0.95));  // half a piece at either end is missing: 38 of 40 half pieces remain
  CHECK(released.fraction(CellInterval{0, 699}).value() == doctest::Approx(0.025));
  CHECK(released.fraction(CellInterval{0, 1023}).value() == 1);
}

TEST_CASE("the exact law adds up to one, releases follow it, and no two neighbours differ by more than alpha") {
  const IntervalRelease mechanism = release_of(2, "2", ratio(4, 5));  // 5 pieces, 4 cells, at most 8 questions
  CHECK(mechanism.search().pieces == 5);
  CHECK(mechanism.search().most_questions() == 8);
  CHECK(mechanism.search().noise.scale() == ratio(4, 1));
  std::vector<std::vector<std::uint64_t>> all;
  for (std::uint64_t code = 0; code < 64; ++code) all.push_back({code % 4, code / 4 % 4, code / 16});
  std::vector<std::map<std::vector<std::uint64_t>, long double>> laws;
  for (const auto& data : all) {
    laws.push_back(mechanism.law(data).value());
    long double total = 0;
    for (const auto& [found, p] : laws.back()) total += p;
    CHECK(std::abs(total - 1) < 1e-16L);
    CHECK(laws.back().size() == 35);  // C(4 + 4 - 1, 4)
  }
  long double worst = 0;
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < all.size(); ++b) {
      int changed = 0;
      for (std::size_t i = 0; i < 3; ++i) changed += all[a][i] != all[b][i] ? 1 : 0;
      if (changed != 1) continue;
      for (const auto& [found, p] : laws[a]) worst = std::max(worst, std::log(p / laws[b][found]));
    }
  }
  CHECK(worst <= 2.0L + 1e-16L);  // 1e-16 allows for rounding of the logarithm
  CHECK(worst > 2 - 1e-6L);       // the bound is attained, so the budget cannot be counted more tightly

  tests::CounterBitSource bits("interval law");
  std::map<std::vector<std::uint64_t>, std::uint64_t> seen;
  const std::vector<std::uint64_t> data{0, 2, 2};
  const auto law = mechanism.law(data).value();
  for (int run = 0; run < 20'000; ++run) {
    const std::vector<std::uint64_t> points = mechanism.release_cells(data, bits).value().points();
    ++seen[{points[1], points[3], points[5], points[7]}];
  }
  for (const auto& [found, p] : law) {  // 35 bands of false alarm 1e-10
    CHECK(tests::binomial_band(20'000, static_cast<double>(p), 1e-10).contains(seen[found]));
  }
}

// As printed, Theorem 4.2 searches one piece after another, until the private count reaches ε/4. Its proof allows
// answers to be off by ε₂ = ε²/8. With such answers the search asks more than the 4b/ε questions for which it has a
// budget, with b bits a cell.
TEST_CASE("the printed search exceeds its budget, and the quantile search does not") {
  constexpr unsigned kBits = 16;
  constexpr std::uint64_t kCells = 1U << kBits;
  constexpr double kEpsilon = 0.5;
  constexpr double kMass = kEpsilon / 4;
  constexpr double kOff = kEpsilon * kEpsilon / 8;
  std::uint64_t questions = 0;
  std::uint64_t start = 0;
  while (start < kCells) {  // on uniform data [a, r] has the mass (r - a + 1)/2^16; kOff is the error of answers
    std::uint64_t low = start;
    std::uint64_t high = kCells - 1;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      ++questions;
      if (static_cast<double>(middle - start + 1) / kCells + kOff >= kMass) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    start = low + 1;
  }
  const auto budgeted = static_cast<std::uint64_t>(4 * kBits / kEpsilon);
  CHECK(questions > budgeted + budgeted / 8);
  CHECK(release_of(kBits, "1", ratio(1, 2)).search().most_questions() <= budgeted);
}

TEST_CASE("a union of intervals counts every cell once") {
  const ReleasedPoints released({0, 2, 2, 3, 5, 7, 7, 7}, 8);
  CHECK(released.fraction(CellInterval{2, 5}).value() == 0.5);
  CHECK(released.fraction({{2, 2}, {5, 7}}).value() == 0.75);
  CHECK(released.fraction({{5, 7}, {1, 3}, {2, 6}, {3, 3}}).value() == 0.875);
  CHECK(released.fraction({{0, 7}, {0, 7}}).value() == 1);
  CHECK_FALSE(released.fraction(CellInterval{5, 4}));
  CHECK_FALSE(released.fraction(CellInterval{0, 8}));
  CHECK_FALSE(released.fraction(std::vector<CellInterval>{}));
  CHECK_FALSE(released.fraction({{0, 1}, {3, 2}}));
}

TEST_CASE("the release of a million rows is accurate") {
  tests::CounterBitSource bits("interval million");
  std::vector<double> values(1'000'000);
  for (double& value : values) value = static_cast<double>(bits.bits(32)) * 0x1p-32;
  const IntervalRelease mechanism = release_of(20, "1", ratio(1, 10));
  const ReleasedPoints released = mechanism.release(values, bits).value();
  // Noise of scale 780 records moves no quantile by 0.01. Each piece has mass 0.025.
  CHECK(std::abs(released.fraction(CellInterval{0, (1U << 19U) - 1}).value() - 0.5) < 0.05);
}

TEST_CASE("values outside of the grid count in the nearest cell, and NaN in the first cell") {
  const IntervalRelease mechanism = release_of(4, "1", ratio(1, 2));
  CHECK(mechanism.law({16, ~std::uint64_t{0}, 3}).value() == mechanism.law({15, 15, 3}).value());
  const auto points = [&](const std::vector<double>& values) {
    tests::CounterBitSource bits("intervals off the grid");
    return mechanism.release(values, bits)->points();
  };
  CHECK(points({kNaN, -3, 2, HUGE_VAL, 0.5}) == points({0, 0, 1, 1, 0.5}));
}

TEST_CASE("empty data and parameters out of range are refused") {
  tests::CounterBitSource bits("interval refusals");
  const Grid grid = Grid::create(0, 1, 4).value();
  const Epsilon one = Epsilon::parse("1").value();
  for (const Rational& bad : {ratio(0, 1), ratio(1, 1), ratio(3, 2), ratio(1, 10'001)}) {
    CHECK(IntervalRelease::create(grid, one, bad).error().code == ErrorCode::kInvalidArgument);
  }
  const IntervalRelease mechanism = release_of(4, "1", ratio(1, 2));
  CHECK(mechanism.release({}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(mechanism.law({0}));
  CHECK(release_of(20, "1", ratio(1, 2)).law({0}).error().code == ErrorCode::kDomainTooLarge);
  for (const double bad : {0.0, 1.0, -1.0, kNaN}) CHECK_FALSE(mechanism.rows_needed(bad));
  CHECK(mechanism.rows_needed(1e-300).value() > mechanism.rows_needed(0.1).value());
  const IntervalRelease fine = release_of(52, "0.000001", ratio(1, 10'000));
  CHECK(fine.rows_needed(0.5).error().code == ErrorCode::kOverflow);
  CHECK(release_of(1, "64", ratio(999'999, 1'000'000)).release_cells({1}, bits).value().points().size() == 8);
  tests::FailingBitSource none;
  CHECK_THROWS_AS((void)mechanism.release_cells({1}, none), EntropyError);
}

}  // namespace
}  // namespace hearsay::central
