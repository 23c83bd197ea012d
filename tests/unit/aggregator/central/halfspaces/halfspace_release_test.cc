#include "aggregator/central/halfspaces/halfspace_release.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/halfspaces/margin.h"

namespace hearsay::central {
namespace {

using tests::kNaN;

double uniform(BitSource& bits) { return static_cast<double>(bits.bits(32)) * 0x1p-31 - 1; }

std::vector<double> random_vector(std::size_t d, BitSource& bits) {
  std::vector<double> x;
  for (std::size_t i = 0; i < d; ++i) x.push_back(uniform(bits));
  return x;
}

HalfspaceRelease release_of(std::uint32_t d, std::uint32_t m, const HalfspaceNet& net, const char* alpha,
                            BitSource& bits) {
  return HalfspaceRelease::create(HalfspaceProjections::create(d, m, net, bits).value(), Epsilon::parse(alpha).value())
      .value();
}

double dot(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

TEST_CASE("the statistic counts the projected rows in the halfspaces of the net") {
  tests::CounterBitSource bits("halfspace counts");
  const HalfspaceNet net = HalfspaceNet::create(3, 1).value();
  const HalfspaceRelease mechanism = release_of(5, 3, net, "1", bits);
  std::vector<double> rows;
  for (int i = 0; i < 20; ++i) {
    for (const double x : random_vector(5, bits)) rows.push_back(x);
  }
  const auto counts = mechanism.counts(rows).value();
  CHECK(counts.size() == 3 * 26);
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint64_t v = 0; v < net.size(); ++v) {
      const auto vector = net.at(v);
      const std::vector<double> y(vector.begin(), vector.end());
      std::uint64_t inside = 0;
      for (std::size_t row = 0; row < rows.size(); row += 5) {
        const auto image = mechanism.projections().project(i, std::span(rows).subspan(row, 5));
        inside += dot(image, y) >= 0 ? 1 : 0;
      }
      CHECK(counts[i * net.size() + v] == inside);
    }
  }
}

// Replacing a row x by -x changes every count by 1.
TEST_CASE("a replaced row changes each count by at most one, and may change all counts") {
  tests::CounterBitSource bits("halfspace sensitivity");
  const HalfspaceNet net = HalfspaceNet::create(2, 2).value();
  const HalfspaceRelease mechanism = release_of(8, 3, net, "0.5", bits);
  CHECK(mechanism.noise().scale() == Rational::create(2 * 3 * net.size(), 1).value());
  std::uint64_t most = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> x = random_vector(8, bits);
    std::vector<double> y = random_vector(8, bits);
    if (i % 2 == 0) std::transform(x.begin(), x.end(), y.begin(), [](double c) { return -c; });
    const auto before = mechanism.counts(x).value();
    const auto after = mechanism.counts(y).value();
    std::uint64_t moved = 0;
    for (std::size_t q = 0; q < before.size(); ++q) {
      CHECK(before[q] <= 1);
      moved += before[q] != after[q] ? 1 : 0;
    }
    most = std::max(most, moved);
  }
  CHECK(most == mechanism.questions());
}

// The number of rows comes from the formula. In 1,000 runs of the noise, the false alarm is 1e-6.
TEST_CASE("at the stated number of rows, no count is off by more than the stated fraction of the rows") {
  tests::CounterBitSource bits("halfspace utility");
  const HalfspaceRelease mechanism = release_of(3, 3, HalfspaceNet::create(3, 1).value(), "1", bits);
  constexpr double kError = 0.1;
  constexpr double kDelta = 0.05;
  const std::uint64_t n = mechanism.rows_needed(kError, kDelta).value();
  CHECK(n == static_cast<std::uint64_t>(std::ceil(78 / kError * std::log(78 / kDelta) + 5)));
  std::uint64_t failures = 0;
  for (int run = 0; run < 1000; ++run) {
    bool failed = false;
    for (std::uint64_t q = 0; q < mechanism.questions(); ++q) {
      const auto off = static_cast<double>(std::abs(mechanism.noise().sample(bits)));
      failed = failed || off > kError * static_cast<double>(n);
    }
    failures += failed ? 1 : 0;
  }
  CHECK(failures <= tests::binomial_band(1000, kDelta, 2e-6).high);
  CHECK(failures >= 10);  // the union bound loses little, so a scale twice too small would show
}

// The rows are two clusters and a background in R^4. A projection to R^4 changes directions much, so the margin must
// be wide.
TEST_CASE("answers are useful with a margin, and more accurate with a wider margin") {
  tests::CounterBitSource bits("halfspace useful");
  const HalfspaceNet net = HalfspaceNet::create(4, 2).value();
  const HalfspaceRelease mechanism = release_of(4, 3, net, "8", bits);
  const std::uint64_t n = mechanism.rows_needed(0.1, 0.01).value();
  std::vector<double> rows;
  for (std::uint64_t i = 0; i < n; ++i) {
    std::vector<double> x = random_vector(4, bits);
    if (i % 5 != 0) {
      const double sign = i % 3 == 0 ? -4 : 4;
      x[0] += sign;
      x[2] += sign;
    }
    rows.insert(rows.end(), x.begin(), x.end());
  }
  const ReleasedHalfspaces released = mechanism.release(rows, bits).value();
  double worst[] = {0, 0, 0};
  const double margins[] = {0.1, 0.5, 0.9};
  for (int i = 0; i < 100; ++i) {
    std::vector<double> y = random_vector(4, bits);
    if (i % 4 == 0) y = {1 + y[0] / 4, y[1] / 4, 1 + y[2] / 4, y[3] / 4};
    const double answer = released.answer(y).value();
    for (int g = 0; g < 3; ++g) {
      worst[g] = std::max(worst[g], margin_range(rows, y, margins[g]).distance(answer));
    }
  }
  MESSAGE("worst error of 100 halfspaces with margin 0.1, 0.5, 0.9: ", worst[0], ", ", worst[1], ", ", worst[2]);
  CHECK(worst[2] <= 0.11);  // almost all of this error is noise
  CHECK(worst[1] <= 0.2);
  CHECK(worst[1] >= worst[2]);
  CHECK(worst[0] >= worst[1]);
}

TEST_CASE("the range of right answers agrees with the definition") {
  // The cosines of the rows with (1, 0) are 1, 0, -1 and 0.71. The last row is at 0 and has no cosine.
  const std::vector<double> rows{1, 0, 0, 1, -1, 0, 1, 1, 0, 0};
  const std::vector<double> y{3, 0};
  const MarginRange none = margin_range(rows, y, 0);
  CHECK(none.low == 0.4);
  CHECK(none.high == 0.8);
  const MarginRange wide = margin_range(rows, y, 0.8);
  CHECK(wide.low == 0.2);
  CHECK(wide.high == 0.8);
  CHECK(wide.distance(0.1) == doctest::Approx(0.1));
  CHECK(wide.distance(0.5) == 0);
  CHECK(wide.distance(1) == doctest::Approx(0.2));
  const std::vector<double> huge{1e308, 1e308, -1e-308, 1e-308};
  const std::vector<double> diagonal{1e308, 1e308};
  CHECK(margin_range(huge, diagonal, 0.5).low == 0.5);
}

// Returns the paper's k: ⌈4·ln(8/error1)/((γ/16)² - (γ/16)³)⌉, the dimension of the projection. At γ = 1/2 and error1 =
// 1/4, k is 14,654.
std::uint64_t paper_dimension(double gamma, double error1) {
  const double part = gamma / 16;
  return static_cast<std::uint64_t>(std::ceil(4 * std::log(8 / error1) / (part * part * (1 - part))));
}

// Returns the paper's number m of projections for halfspaces with `bits` bits a coordinate: ⌈12·(ln(1/delta1) + ln
// 2·bits·dimension)⌉.
std::uint64_t paper_projections(double delta1, double bits, double dimension) {
  return static_cast<std::uint64_t>(std::ceil(12 * (std::log(2.0) * bits * dimension - std::log(delta1))));
}

TEST_CASE(
    "the paper's dimension is too large for every net, but its number of projections and the Chernoff bound for this "
    "number are right") {
  const std::uint64_t k = paper_dimension(0.5, 0.25);
  MESSAGE("the paper's k at gamma = 0.5, error 0.25: ", k);
  CHECK(k == 14'654);
  CHECK(HalfspaceNet::create(static_cast<std::uint32_t>(k), 1).error().code == ErrorCode::kDomainTooLarge);
  CHECK(paper_projections(0.05, 8, 10) ==
        static_cast<std::uint64_t>(std::ceil(12 * (std::log(20.0) + std::log(2.0) * 80))));
  // Pr[Binomial(m, 1/4) > m/2] <= e^{-m/12}
  for (int m = 1; m <= 60; ++m) {
    double tail = 0;
    for (int i = m / 2 + 1; i <= m; ++i) {
      tail += std::exp(std::lgamma(m + 1.0) - std::lgamma(i + 1.0) - std::lgamma(m - i + 1.0) + i * std::log(0.25) +
                       (m - i) * std::log(0.75));
    }
    CHECK(tail <= std::exp(-m / 12.0));
  }
}

// By Theorem 6.4 at the paper's dimension k, the cosine of two vectors changes by γ/4 with probability at most ε₁/4 =
// 1/16. The standard deviation of the cosine is at most 1/√k = 0.008, far below γ/4 = 0.125. So the paper's constant is
// very loose.
TEST_CASE("random signs keep angles at the paper's dimension") {
  tests::CounterBitSource bits("johnson lindenstrauss");
  const std::uint64_t k = paper_dimension(0.5, 0.25);
  const std::vector<double> x{0.6, 0.8, 0, 0, 0, 0};
  const std::vector<double> y{0.5, 0.5, 0.5, -0.5, 0, 0};
  std::uint64_t moved = 0;
  for (int run = 0; run < 200; ++run) {
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (std::uint64_t column = 0; column < k; ++column) {
      const std::uint64_t signs = bits.bits(6);
      double a = 0;
      double b = 0;
      for (unsigned i = 0; i < 6; ++i) {
        a += (signs >> i & 1U) != 0 ? x[i] : -x[i];
        b += (signs >> i & 1U) != 0 ? y[i] : -y[i];
      }
      xx += a * a;
      yy += b * b;
      xy += a * b;
    }
    moved += std::abs(xy / std::sqrt(xx * yy) - 0.7) >= 0.125 ? 1 : 0;
  }
  CHECK(moved == 0);
}

// Whatever its coordinates are, a row changes each count by at most 1.
TEST_CASE("a row with a coordinate that is not finite is in no halfspace, and other rows do not change") {
  tests::CounterBitSource bits("halfspace odd rows");
  const HalfspaceRelease mechanism = release_of(2, 3, HalfspaceNet::create(2, 1).value(), "1", bits);
  const auto counts = [&](const std::vector<double>& rows) { return mechanism.counts(rows).value(); };
  const auto alone = counts({1, 2});
  for (const double odd : {kNaN, HUGE_VAL, -HUGE_VAL}) {
    for (const std::vector<double>& row : {std::vector<double>{1, odd}, {odd, 0}, {odd, odd}, {odd, -odd}}) {
      CHECK(counts(row) == std::vector<std::uint64_t>(mechanism.questions(), 0));
      CHECK(counts({row[0], row[1], 1, 2}) == alone);
      CHECK(mechanism.release(row, bits));
    }
  }
}

TEST_CASE("invalid data, invalid halfspaces and too much work are refused") {
  tests::CounterBitSource bits("halfspace refusals");
  const HalfspaceNet net = HalfspaceNet::create(2, 1).value();
  const HalfspaceRelease mechanism = release_of(2, 1, net, "1", bits);
  CHECK_FALSE(mechanism.release({}, bits));
  CHECK_FALSE(mechanism.release(std::vector<double>{1, 2, 3}, bits));
  CHECK(
      // The projection overflows, but the row still lies on one side.
      mechanism.release(std::vector<double>{1e308, 1e308}, bits));
  const ReleasedHalfspaces released = mechanism.release(std::vector<double>{1, 2}, bits).value();
  CHECK(std::isfinite(released.answer(std::vector<double>{1e308, -1e308}).value()));
  for (const std::vector<double>& bad : {std::vector<double>{}, {1}, {0, 0}, {1, kNaN}}) {
    CHECK_FALSE(released.answer(bad));
  }
  CHECK_FALSE(HalfspaceProjections::create(0, 1, net, bits));
  CHECK_FALSE(HalfspaceProjections::create(2, 2, net, bits));
  CHECK_FALSE(HalfspaceProjections::create(2, 0, net, bits));
  CHECK(HalfspaceProjections::create(4'000'000'000, 3, net, bits).error().code == ErrorCode::kDomainTooLarge);
  const HalfspaceRelease large = release_of(2, 11, HalfspaceNet::create(2, 100'000).value(), "1", bits);
  CHECK(large.release(std::vector<double>(20'000, 1.0), bits).error().code == ErrorCode::kLimitExceeded);
  for (const double bad : {0.0, 1.0, kNaN}) {
    CHECK_FALSE(mechanism.rows_needed(bad, 0.5));
    CHECK_FALSE(mechanism.rows_needed(0.5, bad));
  }
  CHECK(mechanism.rows_needed(1e-300, 0.5).error().code == ErrorCode::kOverflow);
  tests::FailingBitSource none;
  CHECK_THROWS_AS((void)mechanism.release(std::vector<double>{1, 2}, none), EntropyError);
  CHECK_THROWS_AS((void)HalfspaceProjections::create(2, 1, net, none), EntropyError);
}

}  // namespace
}  // namespace hearsay::central
