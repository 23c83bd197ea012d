#include "aggregator/central/synthetic/general_release.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "aggregator/central/exponential/exponential_mechanism.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/synthetic/classes.h"

namespace hearsay::central {
namespace {

using tests::kNaN;

GeneralRelease release_of(QueryClass queries, std::uint32_t size, const char* alpha) {
  return GeneralRelease::create(std::move(queries), size, Epsilon::parse(alpha).value()).value();
}

TEST_CASE("the law of the release agrees with Definition 3.3") {
  const QueryClass queries = intervals(4);
  const RowCounts data{5, 0, 2, 4};
  constexpr double kAlpha = 1.5;
  constexpr double kN = 11;
  const GeneralRelease mechanism = release_of(queries, 3, "1.5");
  const auto law = log_law(mechanism.selection(), data);
  const Multisets all = Multisets::create(4, 3).value();
  std::vector<long double> weights;
  for (std::uint64_t i = 0; i < all.count(); ++i) {
    const Counts counts = all.at(i);
    long double worst = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      long double difference = 0;
      for (std::size_t b = a; b < 4; ++b) {
        difference += static_cast<long double>(data[b]) / kN - static_cast<long double>(counts[b]) / 3;
        worst = std::max(worst, std::abs(difference));
      }
    }
    weights.push_back(std::exp(-worst * kAlpha * kN / 2));
  }
  const long double total = std::accumulate(weights.begin(), weights.end(), 0.0L);
  for (std::uint64_t i = 0; i < all.count(); ++i) {
    CHECK(static_cast<double>(std::exp(law[i])) ==
          doctest::Approx(static_cast<double>(weights[i] / total)).epsilon(1e-13).scale(0));
  }
}

TEST_CASE("the log-ratio of neighbours is at most alpha, and the sensitivity is 1") {
  const GeneralRelease mechanism = release_of(intervals(3), 3, "1");
  const Selection& selection = mechanism.selection();
  const auto all = histograms(3, 4);
  long double worst = 0;
  std::int64_t moved = 0;
  for (const RowCounts& a : all) {
    for (const RowCounts& b : all) {
      if (distance(a, b) != 2) continue;
      worst = std::max(worst, largest_log_ratio(log_law(selection, a), log_law(selection, b)));
      const auto before = selection.scores(a).value();
      const auto after = selection.scores(b).value();
      for (std::size_t i = 0; i < before.size(); ++i) moved = std::max(moved, std::abs(before[i] - after[i]));
    }
  }
  CHECK(worst <= 1.0L);
  CHECK(worst > 0.5L);
  CHECK(moved == 3);  // one record moves a score by 3 units of 1/3
}

// There are 10 multisets. In 20,000 draws, each count has a false alarm of 1e-9.
TEST_CASE("releases are drawn from the law, and the whole alpha is spent") {
  tests::CounterBitSource bits("general release");
  const GeneralRelease mechanism = release_of(thresholds(3), 3, "0.5");
  const RowCounts data{1, 6, 3};
  const auto law = log_law(mechanism.selection(), data);
  const Multisets all = Multisets::create(3, 3).value();
  std::vector<std::uint64_t> seen(all.count(), 0);
  for (int i = 0; i < 20'000; ++i) {
    const SyntheticDatabase database = mechanism.release(data, bits).value();
    CHECK(database.proved_epsilon == Rational::create(1, 2).value());
    ++seen[all.index_of(database.counts)];
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CHECK(tests::binomial_band(20'000, static_cast<double>(std::exp(law[i])), 1e-9).contains(seen[i]));
  }
}

TEST_CASE("sixteen elements and six rows are enumerated, with scores of range 10^6") {
  tests::CounterBitSource bits("general large");
  const GeneralRelease mechanism = release_of(intervals(16), 6, "1");
  RowCounts data(16, 0);
  data[3] = 600'000;
  data[12] = 400'000;
  const auto scores = mechanism.selection().scores(data).value();
  CHECK(scores.size() == 54'264);
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  CHECK(*low == -6'000'000);  // the worst database has no row where the data are, and the unit is 1/6
  CHECK(*high == -400'000);   // the best database has four and two of six rows, and the data have 0.6 and 0.4
  const auto law = log_law(mechanism.selection(), data);
  CHECK(std::all_of(law.begin(), law.end(), [](long double l) { return std::isfinite(l); }));
  const SyntheticDatabase database = mechanism.release(data, bits).value();
  // All other databases are off by 10^5 or more.
  CHECK(error_of(mechanism.selection(), data, database.counts) < 66'800);
}

// The number of rows and the size m of the database come from the explicit constants. For error = 1/2, 3 thresholds
// need m = ⌊8·ln 6⌋ + 1 = 15.
TEST_CASE("at the number of rows of Theorem 3.1 the release is useful in 1,000 runs (false alarm 1e-6)") {
  tests::CounterBitSource bits("general utility");
  constexpr double kError = 0.5;
  constexpr double kDelta = 0.05;
  const auto m = static_cast<std::uint32_t>(synthetic_size(std::log(3.0), kError).value());
  CHECK(m == 15);
  const std::uint64_t n = release_rows(log_multisets(4, m), kError, 1, kDelta).value();
  const GeneralRelease mechanism = release_of(thresholds(4), m, "1");
  const RowCounts data{n / 2, 0, 1, n - n / 2 - 1};
  const auto scores = mechanism.selection().scores(data).value();
  const ExponentialMechanism draws(mechanism.selection().decay());
  const Multisets all = Multisets::create(4, m).value();
  std::uint64_t failures = 0;
  for (int run = 0; run < 1000; ++run) {
    const Counts counts = all.at(draws.release(scores, bits).value());
    const double error = error_of(mechanism.selection(), data, counts) / static_cast<double>(n);
    failures += error >= kError ? 1 : 0;
  }
  CHECK(failures <= tests::binomial_band(1000, kDelta, 2e-6).high);
}

// For every histogram of 12 records over 3 elements, some synthetic database of the stated size is within half of the
// error.
TEST_CASE("every histogram has an accurate synthetic database of the stated size") {
  const double error = 0.5;
  const auto m = static_cast<std::uint32_t>(synthetic_size(std::log(6.0), error).value());
  const GeneralRelease mechanism = release_of(intervals(3), m, "1");
  for (const RowCounts& data : histograms(3, 12)) {
    const auto scores = mechanism.selection().scores(data).value();
    const auto best = static_cast<double>(-*std::max_element(scores.begin(), scores.end()));
    CHECK(best / m / 12 < error / 2);
  }
}

TEST_CASE("the number of rows follows from the paper's formula") {
  CHECK(release_rows(6 * std::log(16.0), 0.1, 2, 0.01).value() ==
        static_cast<std::uint64_t>(std::ceil(4 / (0.1 * 2) * (6 * std::log(16.0) + std::log(100.0)))));
  for (const double bad : {0.0, 1.0, -1.0, kNaN}) {
    CHECK(synthetic_size(1, bad).error().code == ErrorCode::kInvalidArgument);
    CHECK(release_rows(1, bad, 1, 0.1).error().code == ErrorCode::kInvalidArgument);
    CHECK(release_rows(1, 0.1, 1, bad).error().code == ErrorCode::kInvalidArgument);
  }
  for (const double bad : {0.0, -1.0, kNaN}) CHECK_FALSE(release_rows(1, 0.1, bad, 0.1));
  CHECK(release_rows(1, 1e-300, 1e-300, 0.1).error().code == ErrorCode::kOverflow);
  CHECK(release_rows(1, 0.5, 1e308, 0.1).value() == 1);
  CHECK(synthetic_size(kNaN, 0.5).error().code == ErrorCode::kInvalidArgument);
  CHECK(synthetic_size(1, 1e-300).error().code == ErrorCode::kOverflow);
}

TEST_CASE("empty data, unequal shapes and too large domains are refused") {
  tests::CounterBitSource bits("general refusals");
  const GeneralRelease mechanism = release_of(intervals(3), 2, "1");
  CHECK(mechanism.release(RowCounts{0, 0, 0}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(mechanism.release_by_chain(RowCounts{0, 0, 0}, 5, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(mechanism.release(RowCounts{1, 2}, bits).error().code == ErrorCode::kInvalidArgument);
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  CHECK(mechanism.release(RowCounts{most, most, 1}, bits).error().code == ErrorCode::kOverflow);
  CHECK_FALSE(GeneralRelease::create(intervals(3), 0, Epsilon::parse("1").value()));
  CHECK_FALSE(QueryClass::predicates({}));
  CHECK_FALSE(QueryClass::predicates({{}}));
  CHECK_FALSE(QueryClass::predicates({{1, 0}, {1}}));
  CHECK_FALSE(QueryClass::linear({{0.5, kNaN}}, 10));
  CHECK_FALSE(QueryClass::linear({{0.5, 1.5}}, 10));
  CHECK_FALSE(QueryClass::linear({{0.5}}, 0));
  const GeneralRelease wide = release_of(thresholds(64), 20, "1");
  CHECK(wide.release(RowCounts(64, 3), bits).error().code == ErrorCode::kDomainTooLarge);
  CHECK(wide.release_by_chain(RowCounts(64, 3), most, bits).error().code == ErrorCode::kLimitExceeded);
  CHECK(wide.release_by_chain(RowCounts(64, 3), 100, bits).value().counts.size() == 64);
  tests::FailingBitSource none;
  CHECK_THROWS_AS((void)mechanism.release(RowCounts{1, 0, 0}, none), EntropyError);
}

}  // namespace
}  // namespace hearsay::central
