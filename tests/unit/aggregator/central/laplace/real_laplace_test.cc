#include "aggregator/central/laplace/real_laplace.h"

#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/central/laplace/low_sample.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/laplace/grid.h"
#include "tests/unit/aggregator/central/laplace/small_databases.h"

namespace hearsay::central {
namespace {

using tests::CounterBitSource;
using tests::eps;
using tests::kInfinity;
using tests::kNaN;
using tests::ratio;
using Values = std::vector<double>;

RealLaplace mechanism(const char* epsilon, const Rational& sensitivity, std::size_t dimension, int log2_step) {
  return RealLaplace::create(eps(epsilon), sensitivity, dimension, grid(log2_step), Neighbours::kReplaceOne).value();
}

TEST_CASE("values are rounded to the nearest multiple, ties upwards, with thresholds exactly a step apart") {
  const BinaryGrid units = grid(0);
  const double below_half = std::nextafter(0.5, 0.0);
  CHECK(units.nearest(below_half) == 0);  // floor(x + 0.5) would round the sum to 1
  CHECK(units.nearest(0.5) == 1);
  CHECK(units.nearest(1.5) == 2);
  CHECK(units.nearest(std::nextafter(-0.5, -1.0)) == -1);
  CHECK(units.nearest(-0.5) == 0);
  CHECK(units.nearest(-1e-300) == 0);
  CHECK(units.nearest(0x1p52 + 1) == (std::int64_t{1} << 52U) + 1);
  CHECK(units.towards_zero(-1.9) == -1);
  CHECK(units.towards_zero(1.9) == 1);
  CHECK(grid(-3).nearest(0.3) == 2);
  CHECK(grid(-3).value(3) == 0.375);
  CHECK(grid(4).nearest(40) == 3);
  CHECK(grid(-60).nearest(2.0) == BinaryGrid::kLargest);
  for (const double beyond : {0x1p61, 0x1p61 + 0x1p9, 0x1p63, 1e308, kInfinity}) {
    for (const auto& [value, steps] : {std::pair{beyond, BinaryGrid::kLargest}, {-beyond, -BinaryGrid::kLargest}}) {
      CHECK(units.nearest(value) == steps);
      CHECK(units.towards_zero(value) == steps);
      CHECK(grid(-60).nearest(value) == steps);
    }
  }
  CHECK(grid(-60).nearest(2.1) == BinaryGrid::kLargest);
  CHECK(units.nearest(0x1p61 - 0x1p8) == BinaryGrid::kLargest - 256);
  CHECK(units.nearest(kNaN) == 0);
  CHECK(units.towards_zero(kNaN) == 0);
  CHECK(BinaryGrid::create(61).error().code == ErrorCode::kInvalidArgument);
  CHECK(BinaryGrid::create(-61).error().code == ErrorCode::kInvalidArgument);
}

// Tries all pairs of points of a lattice (1/8 of a step) at an L1 distance of at most the sensitivity S. The first
// point is within one step of 0, since other points give the same distances. With steps of g in d coordinates, the
// largest distance after rounding is ⌈S/g⌉ + d - 1 steps.
TEST_CASE("the sensitivity includes exactly what rounding adds") {
  for (const int eighths : {4, 8, 11, 16}) {
    for (const std::size_t d : {1U, 2U}) {
      CAPTURE(eighths);
      CAPTURE(d);
      const RealLaplace real = mechanism("1", ratio(static_cast<std::uint64_t>(eighths), 8), d, 0);
      std::int64_t worst = 0;
      for (int a = 0; a < 8; ++a) {
        for (int b = 0; b < (d == 1 ? 1 : 8); ++b) {
          for (int da = -eighths; da <= eighths; ++da) {
            const int rest = d == 1 ? 0 : eighths - std::abs(da);
            for (int db = -rest; db <= rest; ++db) {
              const auto steps = [&](int x, int y) {
                const Values value = d == 1 ? Values{x / 8.0} : Values{x / 8.0, y / 8.0};
                return real.statistic(value);
              };
              const auto first = steps(a, b);
              const auto second = steps(a + da, b + db);
              std::int64_t distance = 0;
              for (std::size_t i = 0; i < d; ++i) distance += std::abs(first[i] - second[i]);
              worst = std::max(worst, distance);
            }
          }
        }
      }
      CHECK(real.laplace().sensitivity() == ratio(static_cast<std::uint64_t>(worst)));
    }
  }
}

// In 1,000 runs at most a share beta fails (false alarm 1e-9).
TEST_CASE("releases keep the error bound with the stated probability") {
  CounterBitSource bits("real laplace");
  const RealLaplace real = mechanism("0.5", ratio(1, 4), 3, -6);
  const double bound = real.error_bound(0.1).value();
  const Values value{0.33, -7.77, 1.0 / 3};
  std::uint64_t failures = 0;
  for (int i = 0; i < 1000; ++i) {
    const Values noisy = real.release(value, bits);
    bool off = false;
    for (std::size_t j = 0; j < 3; ++j) {
      off = off || std::abs(noisy[j] - value[j]) > bound;
      CHECK(noisy[j] * 64 == std::floor(noisy[j] * 64));  // every answer is a multiple of 1/64
    }
    if (off) ++failures;
  }
  CHECK(failures <= tests::binomial_band(1000, 0.1, 1e-9).high);
  CHECK(failures >= tests::binomial_band(1000, 0.05, 1e-9).low);
}

TEST_CASE("every value of the function is released, in the agreed number of coordinates") {
  CounterBitSource bits("real laplace every value");
  const RealLaplace real = mechanism("1", ratio(1), 2, -4);
  using Steps = std::vector<std::int64_t>;
  CHECK(real.statistic(Values{1}) == Steps{16, 0});
  CHECK(real.statistic(Values{}) == Steps{0, 0});
  CHECK(real.statistic(Values{1, 2, 3}) == Steps{16, 32});
  CHECK(real.statistic(Values{1, kNaN}) == Steps{16, 0});
  CHECK(real.statistic(Values{kInfinity, -1e300}) == Steps{BinaryGrid::kLargest, -BinaryGrid::kLargest});
  for (const Values& value : {Values{}, Values{kNaN}, Values{1, 2, 3}, Values{kInfinity, -kInfinity}}) {
    CHECK(real.release(value, bits).size() == 2);
  }
}

TEST_CASE("invalid parameters and too large scales are refused") {
  const RealLaplace real = mechanism("1", ratio(1), 2, -4);
  CHECK(real.error_bound(0).error().code == ErrorCode::kInvalidArgument);
  const auto create = [](const Rational& sensitivity, std::size_t dimension, int log2_step) {
    return RealLaplace::create(eps("1"), sensitivity, dimension, grid(log2_step), Neighbours::kReplaceOne);
  };
  CHECK(create(ratio(0), 1, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(ratio(1), 0, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(ratio(1), 1, -60).error().code == ErrorCode::kScaleTooLarge);
  CHECK(create(ratio(1000), 1, -60).error().code == ErrorCode::kOverflow);
}

// The function is one bit. The algorithm reads the bit with probability α = 1/2 and guesses otherwise. So it is exact
// (σ = 0) with probability (1+α)/2 = 3/4. By the printed lemma the function would be constant, since 2σ = 0.
TEST_CASE("Lemma 1 is false at equality and holds strictly above it") {
  const Rational read = ratio(1, 2);
  for (const int bit : {0, 1}) {
    // The four paths are equally likely: the algorithm reads or does not read, and guesses 0 or 1.
    int exact_paths = 0;
    for (const bool reads : {false, true}) {
      for (const int guess : {0, 1}) exact_paths += (reads ? bit : guess) == bit ? 1 : 0;
    }
    CHECK(exact_paths == 3);
  }
  // The sensitivity of the function is 1. So at probability 3/4 a bound of 2σ with σ below 1/2 would be wrong, and is
  // refused.
  CHECK(sensitivity_bound({read, ratio(3, 4), ratio(1, 1000)}).error().code == ErrorCode::kInvalidArgument);
  CHECK(sensitivity_bound({read, ratio(750'001, 1'000'000), ratio(1, 1000)}).value() == ratio(1, 500));
  CHECK(sensitivity_bound({read, ratio(7, 10), ratio(1)}).error().code == ErrorCode::kInvalidArgument);
  CHECK(sensitivity_bound({read, ratio(1), ratio(0)}).error().code == ErrorCode::kInvalidArgument);
  CHECK(sensitivity_bound({read, ratio(2), ratio(1)}).error().code == ErrorCode::kInvalidArgument);
  CHECK(sensitivity_bound({ratio(1), ratio(1), ratio(1)}).error().code == ErrorCode::kInvalidArgument);
}

// The function is the mean of 5 bits. The algorithm averages a uniform subset of 2 bits. σ is the least error that the
// algorithm keeps with probability above 7/10 for all inputs. By enumeration, the sensitivity 1/5 is at most 2σ.
TEST_CASE("Lemma 1 bounds the sensitivity of a mean that a sample approximates") {
  const auto successes = [](const Rows& rows, double sigma) {
    double mean = 0;
    for (const auto row : rows) mean += row / 5.0;
    int count = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < i; ++j) count += std::abs((rows[i] + rows[j]) / 2.0 - mean) <= sigma + 1e-12 ? 1 : 0;
    }
    return count;
  };
  int tenths = 0;
  for (int worst = 0; worst <= 7; ++tenths) {
    worst = 10;
    for (const Rows& rows : all_databases(2, 5)) worst = std::min(worst, successes(rows, (tenths + 1) / 10.0));
  }
  const SampleComplexity known{ratio(2, 5), ratio(8, 10), ratio(static_cast<std::uint64_t>(tenths), 10)};
  CHECK(sensitivity_bound(known).value() >= ratio(1, 5));
  const RealLaplace released = low_sample_mechanism(eps("1"), known, 1, grid(-8)).value();
  CHECK(released.laplace().sensitivity() == ratio((static_cast<std::uint64_t>(tenths) * 2 * 256 + 9) / 10));
  CHECK(released.laplace().neighbours() == Neighbours::kReplaceOne);
}

}  // namespace
}  // namespace hearsay::central
