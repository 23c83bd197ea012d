#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "aggregator/central/laplace/covariance.h"
#include "aggregator/central/laplace/mean_vector.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/laplace/grid.h"
#include "tests/unit/aggregator/central/laplace/laws.h"
#include "tests/unit/aggregator/central/laplace/small_databases.h"

namespace hearsay::central {
namespace {

using tests::binomial_band;
using tests::CounterBitSource;
using tests::eps;
using tests::kInfinity;
using tests::kNaN;
using tests::ratio;
using Values = std::vector<double>;

std::vector<Values> all_rows(std::size_t d, int norm) {
  std::vector<Values> rows{{}};
  for (std::size_t i = 0; i < d; ++i) {
    std::vector<Values> longer;
    for (const Values& row : rows) {
      int used = 0;
      for (const double x : row) used += std::abs(static_cast<int>(x));
      for (int x = used - norm; x <= norm - used; ++x) {
        longer.push_back(row);
        longer.back().push_back(x);
      }
    }
    rows = std::move(longer);
  }
  return rows;
}

// Returns the largest loss over all pairs of neighbouring databases of n integer rows of norm at most `norm`. The
// order of rows does not matter, so only the first row is replaced.
template <class Mechanism>
Rational worst_loss(const Mechanism& mechanism, std::size_t d, int norm, std::size_t n) {
  const std::vector<Values> row = all_rows(d, norm);
  const auto k = static_cast<std::uint32_t>(row.size());
  Rational worst;
  for (const Rows& rest : all_databases(k, n - 1)) {
    if (!std::is_sorted(rest.begin(), rest.end())) continue;
    std::vector<std::vector<std::int64_t>> statistics;
    for (std::uint32_t first = 0; first < k; ++first) {
      Values values = row[first];
      for (const auto i : rest) values.insert(values.end(), row[i].begin(), row[i].end());
      statistics.push_back(mechanism.statistic(values).value());
    }
    for (const auto& a : statistics) {
      for (const auto& b : statistics) worst = std::max(worst, loss(mechanism.laplace(), a, b));
    }
  }
  return worst;
}

TEST_CASE("the sensitivity of the mean of n rows of norm γ is 2γ/n in every dimension, and is attained") {
  for (const std::size_t d : {1U, 2U, 3U}) {
    const MeanVector mean = MeanVector::create(eps("0.5"), {d, 2, grid(0)}, Neighbours::kReplaceOne).value();
    CHECK(worst_loss(mean, d, 2, 2) == ratio(1, 2));
    CHECK(mean.laplace().scale() == ratio(8));
  }
}

TEST_CASE(
    "the sensitivity of the covariance of n rows of norm γ is 6γ²(n-1)/n², or 4γ²(n-1)/n² in one dimension, and is "
    "attained") {
  struct Case {
    std::size_t d;
    int norm;
    std::size_t n;
  };
  for (const auto& [d, norm, n] :
       {Case{1, 3, 2}, Case{1, 2, 4}, Case{2, 1, 2}, Case{2, 2, 3}, Case{2, 1, 5}, Case{3, 1, 4}}) {
    const Covariance covariance =
        Covariance::create(eps("0.5"), {d, norm, grid(0)}, n, Neighbours::kReplaceOne).value();
    const auto square = static_cast<std::uint64_t>(norm * norm);
    CHECK(covariance.laplace().sensitivity() == ratio((d == 1 ? 4 : 6) * square * (n - 1)));
    CHECK(worst_loss(covariance, d, norm, n) == ratio(1, 2));
    CHECK(covariance.laplace().sensitivity() < ratio(8 * square * n));
  }
}

TEST_CASE("the statistic of the covariance release is n squared times the covariance") {
  const Covariance covariance = Covariance::create(eps("1"), {2, 8, grid(-2)}, 3, Neighbours::kReplaceOne).value();
  const Values values{1, 0.5, -0.25, 1.25, 0, -1};
  const auto matrix = covariance.statistic(values).value();
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      double products = 0;
      double left = 0;
      double right = 0;
      for (std::size_t row = 0; row < 3; ++row) {
        products += values[row * 2 + i] * values[row * 2 + j] / 3;
        left += values[row * 2 + i] / 3;
        right += values[row * 2 + j] / 3;
      }
      CHECK(static_cast<double>(matrix[i * 2 + j]) / 16 / 9 == doctest::Approx(products - left * right).epsilon(1e-12));
    }
  }
}

// Returns deterministic rows of norm at most 1 that are on no grid.
Values spread_rows(std::size_t n, std::size_t d) {
  Values values;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j)
      values.push_back(std::sin(static_cast<double>(i * d + j)) / static_cast<double>(d));
  }
  return values;
}

// Makes 1,000 runs at the stated number of rows. At most a share beta fails (false alarm 1e-9).
TEST_CASE("with the stated number of rows the mean is as accurate as stated") {
  CounterBitSource bits("mean");
  const MeanVector mean = MeanVector::create(eps("1"), {3, 1024, grid(-10)}, Neighbours::kReplaceOne).value();
  const std::uint64_t n = mean.rows(0.03, 0.1).value();
  CHECK(mean.error_bound(n, 0.1).value() <= 0.03 * (1 + 1e-12));
  CHECK(mean.error_bound(n - 1, 0.1).value() > 0.03);
  const Values values = spread_rows(n, 3);
  Values truth(3);
  for (std::size_t i = 0; i < values.size(); ++i) truth[i % 3] += values[i] / static_cast<double>(n);
  std::uint64_t failures = 0;
  for (int run = 0; run < 1000; ++run) {
    const Values noisy = mean.release(values, bits).value();
    bool off = false;
    for (std::size_t j = 0; j < 3; ++j) off = off || std::abs(noisy[j] - truth[j]) > 0.03;
    if (off) ++failures;
  }
  CHECK(failures <= binomial_band(1000, 0.1, 1e-9).high);
  CHECK(failures >= binomial_band(1000, 0.05, 1e-9).low);
}

TEST_CASE("the covariance keeps its error bound and is symmetric") {
  CounterBitSource bits("covariance");
  constexpr std::size_t kRows = 400;
  const Covariance covariance =
      Covariance::create(eps("1"), {2, 4096, grid(-12)}, kRows, Neighbours::kReplaceOne).value();
  const Values values = spread_rows(kRows, 2);
  Values mean(2);
  Values truth(4);
  for (std::size_t i = 0; i < values.size(); ++i) mean[i % 2] += values[i] / kRows;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < 4; ++j) truth[j] += values[2 * i + j / 2] * values[2 * i + j % 2] / kRows;
  }
  for (std::size_t j = 0; j < 4; ++j) truth[j] -= mean[j / 2] * mean[j % 2];
  std::uint64_t failures = 0;
  for (int run = 0; run < 1000; ++run) {
    const Values noisy = covariance.release(values, bits).value();
    CHECK(noisy[1] == noisy[2]);
    bool off = false;
    for (std::size_t j = 0; j < 4; ++j)
      off = off || std::abs(noisy[j] - truth[j]) > covariance.error_bound(0.1).value();
    if (off) ++failures;
  }
  // Averaging the two copies of an entry halves the entry's variance, so less than the share beta of runs fails. The
  // diagonal entries have one copy, so at least 3 % of the runs fail.
  CHECK(failures <= binomial_band(1000, 0.1, 1e-9).high);
  CHECK(failures >= binomial_band(1000, 0.03, 1e-9).low);
}

TEST_CASE("rows are rounded towards 0, so that their norm stays bounded") {
  const MeanVector mean = MeanVector::create(eps("1"), {2, 4, grid(-2)}, Neighbours::kReplaceOne).value();
  CHECK(mean.statistic(Values{0.74, -0.26}).value() == std::vector<std::int64_t>{2, -1});
  CHECK(mean.statistic(Values{0.5, -0.5, 0.25, 0}).value() == std::vector<std::int64_t>{3, -2});
}

TEST_CASE("a row whose norm exceeds the bound is scaled down to the bound") {
  const MeanVector mean = MeanVector::create(eps("0.5"), {2, 4, grid(0)}, Neighbours::kReplaceOne).value();
  const auto row = [&](double x, double y) { return mean.statistic(Values{x, y}).value(); };
  using Steps = std::vector<std::int64_t>;
  CHECK(row(4, -1) == Steps{3, 0});  // 4·(4, -1)/5, rounded towards 0
  CHECK(row(-8, 8) == Steps{-2, 2});
  CHECK(row(kNaN, 3) == Steps{0, 3});
  CHECK(row(kInfinity, 3) == Steps{3, 0});
  CHECK(row(-kInfinity, kInfinity) == Steps{-2, 2});
  CHECK(row(1e300, 0) == Steps{4, 0});
  CHECK(row(3, 1) == Steps{3, 1});
  CHECK(mean.statistic(Values{1e300, 0, 1, -2}).value() == Steps{5, -2});
  const std::vector<Values> odd{{0, 0}, {4, 0}, {0, -4}, {-9, 0}, {5, 1e300}, {kNaN, kInfinity}, {-kInfinity, 1}};
  const Covariance covariance = Covariance::create(eps("0.5"), {2, 4, grid(0)}, 2, Neighbours::kReplaceOne).value();
  Rational worst;
  for (const Values& kept : odd) {
    for (const Values& here : odd) {
      for (const Values& there : odd) {
        const auto with = [&](const Values& first) { return Values{first[0], first[1], kept[0], kept[1]}; };
        worst = std::max(worst,
                         loss(mean.laplace(), mean.statistic(with(here)).value(), mean.statistic(with(there)).value()));
        CHECK(loss(covariance.laplace(), covariance.statistic(with(here)).value(),
                   covariance.statistic(with(there)).value()) <= ratio(1, 2));
      }
    }
  }
  CHECK(worst == ratio(1, 2));
}

TEST_CASE("numbers of rows and bounds on norms that are out of range are refused") {
  CounterBitSource bits("moments refusals");
  const MeanVector mean = MeanVector::create(eps("1"), {2, 4, grid(-2)}, Neighbours::kReplaceOne).value();
  const Covariance covariance = Covariance::create(eps("1"), {2, 4, grid(-2)}, 2, Neighbours::kReplaceOne).value();
  for (const Values& bad : {Values{}, Values{0.1}, Values{0, 0, 0.25}}) {
    CHECK(mean.release(bad, bits).error().code == ErrorCode::kInvalidArgument);
    CHECK(covariance.release(bad, bits).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(covariance.release(Values{0, 0}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(mean.error_bound(0, 0.1).error().code == ErrorCode::kInvalidArgument);
  CHECK(mean.error_bound(5, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(covariance.error_bound(1).error().code == ErrorCode::kInvalidArgument);
  CHECK(mean.rows(0.25, 0.1).error().code == ErrorCode::kInvalidArgument);
  CHECK(mean.rows(kNaN, 0.1).error().code == ErrorCode::kInvalidArgument);
  CHECK(mean.rows(kInfinity, 0.1).error().code == ErrorCode::kInvalidArgument);
  CHECK(mean.rows(std::nextafter(0.25, 1.0), 0.1).error().code == ErrorCode::kOverflow);

  const auto create = [](RowBound bound, std::uint64_t n, Neighbours neighbours) {
    return Covariance::create(eps("1"), bound, n, neighbours);
  };
  constexpr auto kReplace = Neighbours::kReplaceOne;
  CHECK(create({0, 4, grid(0)}, 3, kReplace).error().code == ErrorCode::kInvalidArgument);
  CHECK(create({1, 0, grid(0)}, 3, kReplace).error().code == ErrorCode::kInvalidArgument);
  CHECK(create({1, -4, grid(0)}, 3, kReplace).error().code == ErrorCode::kInvalidArgument);
  CHECK(create({1, 4, grid(0)}, 1, kReplace).error().code == ErrorCode::kInvalidArgument);
  CHECK(create({1, 4, grid(0)}, 3, Neighbours::kAddRemove).error().code == ErrorCode::kUnsupported);
  CHECK(create({1, 2048, grid(0)}, 1'000'000, kReplace).error().code == ErrorCode::kLimitExceeded);
  CHECK(create({1025, 4, grid(0)}, 3, kReplace).error().code == ErrorCode::kLimitExceeded);
  CHECK(create({2, 1024, grid(0)}, 1'000'000, kReplace));
  CHECK(MeanVector::create(eps("1"), {1, 4, grid(0)}, Neighbours::kAddRemove).error().code == ErrorCode::kUnsupported);
  CHECK(MeanVector::create(eps("1"), {1 << 20, 4, grid(0)}, kReplace).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay::central
