#include "aggregator/central/cells/cell_accuracy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/central/cells/cell_release.h"
#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/cells/paper_rows.h"

namespace hearsay::central {
namespace {

using tests::kInfinity;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

CellRelease release_with(const char* epsilon, Neighbours neighbours = Neighbours::kReplaceOne) {
  return CellRelease::create(Epsilon::parse(epsilon).value(), neighbours).value();
}

double outside(const DiscreteLaplace& noise, std::uint64_t m) {
  double sum = 0;
  for (std::int64_t y = 20'000; y > static_cast<std::int64_t>(m); --y) sum += 2 * std::exp(noise.log_probability(y));
  return sum;
}

TEST_CASE("the error of every cell is the least error that the union bound allows") {
  for (const char* epsilon : {"0.02", "1", "5"}) {
    const DiscreteLaplace noise = release_with(epsilon).noise();
    for (const std::uint64_t cells : {1U, 100U, 8000U}) {
      const std::uint64_t m = every_cell_error(noise, cells, 0.05).value();
      CHECK(static_cast<double>(cells) * outside(noise, m) <= 0.05 * (1 + 1e-9));
      if (m > 0) CHECK(static_cast<double>(cells) * outside(noise, m - 1) > 0.05);
    }
  }
}

TEST_CASE("the number of rows for every union agrees with Theorem 5.2 at twice the scale") {
  // The theorem's example has 100 cells (β), the error ε = 0.02, and α = δ = 0.05. At the printed scale the example
  // needs 7.6e5 rows.
  const double printed = 100 * std::log(100 / 0.05) / (0.05 * 0.02);
  CHECK(printed == doctest::Approx(7.6e5).epsilon(1e-3));
  const auto rows = [](Neighbours neighbours) {
    return static_cast<double>(rows_for_every_union(release_with("0.05", neighbours).noise(), 100, 0.02, 0.05));
  };
  // The formula has the logarithm of 2·cells/δ. The discrete law has 2/(1+q) in place of 2, and rounding subtracts up
  // to a unit for each cell.
  CHECK(rows(Neighbours::kAddRemove) == doctest::Approx(printed).epsilon(0.01));
  CHECK(rows(Neighbours::kReplaceOne) == doctest::Approx(2 * printed).epsilon(0.01));
}

// Tests Theorem 5.2 with the doubled scale, at its number of rows. The worst union has all cells with one sign of the
// noise. This union is off by more than ε in at most a share δ of 1,000 runs (false alarm 1e-6). The test does the
// same with clipped cells.
TEST_CASE("every union of cells is within the error, at the stated number of rows") {
  tests::CounterBitSource bits("every union");
  constexpr std::uint32_t kCells = 20;
  constexpr int kRuns = 1000;
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplaceOne}) {
    for (const double delta : {0.05, 0.4}) {
      const CellRelease mechanism = release_with("0.5", neighbours);
      const std::uint64_t rows = rows_for_every_union(mechanism.noise(), kCells, 0.1, delta);
      CellCube cube = CellCube::create({kCells}).value();
      for (std::uint64_t i = 0; i < rows; ++i) {
        const auto cell = static_cast<std::uint32_t>(i % 7);  // the other 13 cells are empty
        REQUIRE(cube.add({&cell, 1}));
      }
      std::uint64_t failures = 0;
      std::uint64_t clipped_failures = 0;
      for (int run = 0; run < kRuns; ++run) {
        const ReleasedCube noisy = mechanism.release(cube, bits).value();
        const auto worst_union = [&](const ReleasedCube& released) {
          std::int64_t above = 0;
          std::int64_t below = 0;
          for (std::size_t i = 0; i < kCells; ++i) {
            const std::int64_t error = released.cells()[i] - cube.cells()[i];
            (error > 0 ? above : below) += std::abs(error);
          }
          return static_cast<double>(std::max(above, below));
        };
        if (worst_union(noisy) > 0.1 * static_cast<double>(rows)) ++failures;
        if (worst_union(noisy.nonnegative()) > 0.1 * static_cast<double>(rows)) ++clipped_failures;
      }
      const std::uint64_t most = tests::binomial_band(kRuns, delta, 2e-6).high;
      CHECK(failures <= most);
      CHECK(clipped_failures <= most);
    }
  }
}

// The largest error over all intervals is the range of the partial sums. In at most a tenth of 1,000 runs the largest
// error exceeds the bound on boxes (false alarm 1e-6). This bound is far below the sum of absolute values in
// Theorem 4.2.
TEST_CASE("the errors of all intervals are within the bound on boxes") {
  tests::CounterBitSource bits("every interval");
  constexpr std::uint32_t kCells = 100;
  constexpr int kRuns = 1000;
  const CellRelease mechanism = release_with("0.1");
  const std::vector<std::uint32_t> shape{kCells};
  const double bound = every_box_error(mechanism.noise(), shape, 0.1).value();
  const double one = box_error(mechanism.noise(), kCells, 0.1).value();
  CHECK(one < bound);
  CHECK(4 * bound < kCells * static_cast<double>(every_cell_error(mechanism.noise(), kCells, 0.1).value()));
  std::uint64_t interval_failures = 0;
  std::uint64_t total_failures = 0;
  for (int run = 0; run < kRuns; ++run) {
    const ReleasedCube noisy = mechanism.release(CellCube::create(shape).value(), bits).value();
    double sum = 0;
    double low = 0;
    double high = 0;
    for (const std::int64_t cell : noisy.cells()) {
      sum += static_cast<double>(cell);
      low = std::min(low, sum);
      high = std::max(high, sum);
    }
    if (high - low > bound) ++interval_failures;
    if (std::abs(sum) > one) ++total_failures;
  }
  CHECK(interval_failures <= tests::binomial_band(kRuns, 0.1, 2e-6).high);
  CHECK(total_failures <= tests::binomial_band(kRuns, 0.1, 2e-6).high);
}

// Returns the law of the sum that has one more noise than the sum with this `law`. The middle entry is the probability
// of 0. Noise beyond ±160 and sums beyond the ends of `law` are left out.
std::vector<double> convolved(const std::vector<double>& law, const DiscreteLaplace& noise) {
  const auto size = static_cast<std::int64_t>(law.size());
  std::vector<double> sum(law.size());
  for (std::int64_t y = -160; y <= 160; ++y) {
    const double probability = std::exp(noise.log_probability(y));
    for (std::int64_t i = std::max<std::int64_t>(0, -y); i < std::min(size, size - y); ++i) {
      sum[static_cast<std::size_t>(i + y)] += probability * law[static_cast<std::size_t>(i)];
    }
  }
  return sum;
}

// For δ < 0.1 and several cells, the bound is less than 1.6 times the least valid bound, which comes from a
// convolution.
TEST_CASE("the bound on a box holds, by the exact law of the sum") {
  const DiscreteLaplace noise = release_with("1", Neighbours::kAddRemove).noise();
  constexpr std::int64_t kReach = 400;
  std::vector<double> law(2 * kReach + 1);
  law[kReach] = 1;
  for (std::uint64_t k = 1; k <= 32; ++k) {
    law = convolved(law, noise);
    for (const double delta : {0.3, 0.01, 1e-6}) {
      const auto tail = [&](double x) {
        double mass = 0;
        for (std::int64_t y = kReach; static_cast<double>(y) > x; --y)
          mass += 2 * law[static_cast<std::size_t>(kReach + y)];
        return mass;
      };
      const double bound = box_error(noise, k, delta).value();
      CHECK(tail(bound) <= delta * (1 + 1e-9));
      if (delta < 0.1 && k > 1) CHECK(tail(bound / 1.6) > delta);
    }
  }
}

// Table 2 at α = 1 has 100 cells, 10^6 rows, the printed noise, and intervals between two uniform ends. The test
// counts in quarters of a row, so the scale is 4 and the law is within 0.3 % of the continuous law. By the exact law
// the mean absolute error is 6.1e-6, nine times the printed 0.69e-6. The largest of 100 × 1,000 errors is about 42e-6,
// near the printed 34.92e-6.
TEST_CASE("the averages of the paper's Table 2 are about nine times too small, but its maxima are right") {
  constexpr double kUnit = 0.25;
  const CellRelease printed = release_with("0.25", Neighbours::kAddRemove);
  constexpr std::uint32_t kCells = 100;
  constexpr std::int64_t kReach = 1200;
  std::vector<double> law(2 * kReach + 1);
  law[kReach] = 1;
  double mean = 0;
  for (std::uint32_t k = 1; k <= kCells; ++k) {
    law = convolved(law, printed.noise());
    double absolute = 0;
    for (std::int64_t y = -kReach; y <= kReach; ++y) {
      absolute += kUnit * static_cast<double>(std::abs(y)) * law[static_cast<std::size_t>(kReach + y)];
    }
    const double pairs = k == 1 ? kCells : 2.0 * (kCells - k + 1);
    mean += absolute * pairs / (kCells * kCells);
  }
  CHECK(mean == doctest::Approx(6.1).epsilon(0.01).scale(0));
  CHECK(mean / 0.69 > 8.5);

  tests::CounterBitSource bits("table 2");
  constexpr int kTables = 20;
  double sum_of_maxima = 0;
  double least = 1000;
  for (int table = 0; table < kTables; ++table) {
    std::int64_t largest = 0;
    for (int version = 0; version < 100; ++version) {
      const ReleasedCube noisy = printed.release(CellCube::create({kCells}).value(), bits).value();
      for (int query = 0; query < 1000; ++query) {
        const auto a = static_cast<std::uint32_t>(uniform_below(bits, kCells));
        const auto b = static_cast<std::uint32_t>(uniform_below(bits, kCells));
        const CellRange range{std::min(a, b), std::max(a, b)};
        largest = std::max(largest, std::abs(noisy.box({&range, 1}).value()));
      }
    }
    least = std::min(least, kUnit * static_cast<double>(largest));
    sum_of_maxima += kUnit * static_cast<double>(largest);
  }
  // The largest error of one table is 42 ± 5 rows. The mean of 20 tables is within 6 standard errors, 6.7 rows.
  CHECK(std::abs(sum_of_maxima / kTables - 42) < 6.7);
  CHECK(least < 42);
}

// Returns the mean of the positive part of the noise: q/(1-q²) with q = e^{-1/t}, where t is the scale.
double nonnegative_excess(const DiscreteLaplace& noise) {
  const double t = noise.scale().approximate();
  return std::exp(-1 / t) / -std::expm1(-2 / t);
}

TEST_CASE("clipping adds to an empty cell the mean of the positive part of the noise") {
  for (const char* epsilon : {"0.01", "1", "7"}) {
    const DiscreteLaplace noise = release_with(epsilon).noise();
    double mean = 0;
    for (std::int64_t y = 20'000; y > 0; --y) mean += static_cast<double>(y) * std::exp(noise.log_probability(y));
    CHECK(nonnegative_excess(noise) == doctest::Approx(mean).epsilon(1e-9));
  }
  CHECK(nonnegative_excess(release_with("0.000001").noise()) == doctest::Approx(1e6).epsilon(1e-6));
}

TEST_CASE("deltas and sizes out of range are refused, and extreme deltas give finite bounds") {
  const DiscreteLaplace noise = release_with("1").noise();
  const std::vector<std::uint32_t> shape{4};
  for (const double delta : {0.0, 1.0, -0.5, kNan, kInfinity}) {
    CHECK(every_cell_error(noise, 4, delta).error().code == ErrorCode::kInvalidArgument);
    CHECK(box_error(noise, 4, delta).error().code == ErrorCode::kInvalidArgument);
    CHECK(every_box_error(noise, shape, delta).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(every_cell_error(noise, 0, 0.1).error().code == ErrorCode::kInvalidArgument);
  CHECK(box_error(noise, 0, 0.1).error().code == ErrorCode::kInvalidArgument);
  CHECK(every_box_error(noise, {}, 0.1).error().code == ErrorCode::kInvalidArgument);
  const DiscreteLaplace wide = DiscreteLaplace::create(Rational::create(std::uint64_t{1} << 54U, 1).value()).value();
  CHECK(every_cell_error(wide, 1U << 24U, 1e-300).error().code == ErrorCode::kOverflow);
  CHECK(every_cell_error(noise, 4, 1e-300).value() == 1384);  // ⌈2·(ln(8e300) - ln(1+e^{-1/2}))⌉ - 1
  for (const double delta : {1e-300, 0.5, 1 - 1e-16}) {
    CHECK(std::isfinite(box_error(wide, std::uint64_t{1} << 24U, delta).value()));
    CHECK(box_error(release_with("64").noise(), 1, delta).value() >= 0);
  }
}

}  // namespace
}  // namespace hearsay::central
