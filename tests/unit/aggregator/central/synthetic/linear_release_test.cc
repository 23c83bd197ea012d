#include "aggregator/central/synthetic/linear_release.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/central/synthetic/general_release.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/synthetic/classes.h"

namespace hearsay::central {
namespace {

using tests::eps;

QueryClass ramps() { return QueryClass::linear({{0, 0.5, 1}, {0.25, 1, 0.1}}, 20).value(); }

LinearRelease add_remove(QueryClass queries, std::uint32_t size) {
  return LinearRelease::create(std::move(queries), size, Neighbours::kAddRemove, eps("1"), eps("0.25")).value();
}

// Visits all pairs of histograms of up to 4 records over 3 elements that differ by one record.
template <class Visit>
void for_add_remove_pairs(const Visit& visit) {
  for (std::uint64_t total = 0; total < 4; ++total) {
    for (const RowCounts& a : histograms(3, total)) {
      for (std::size_t x = 0; x < a.size(); ++x) {
        RowCounts b = a;
        ++b[x];
        visit(a, b);
      }
    }
  }
}

TEST_CASE("under add-remove the sensitivity of the score is 1, not 1 + 1/m for a database of m rows") {
  for (const QueryClass& queries : {ramps(), intervals(3)}) {
    const LinearRelease mechanism = add_remove(queries, 2);
    const auto unit = static_cast<std::int64_t>(2 * queries.unit());
    std::int64_t moved = 0;
    for_add_remove_pairs([&](const RowCounts& a, const RowCounts& b) {
      const auto before = mechanism.selection().scores(a).value();
      const auto after = mechanism.selection().scores(b).value();
      for (std::size_t i = 0; i < before.size(); ++i) moved = std::max(moved, std::abs(before[i] - after[i]));
    });
    CHECK(moved <= unit);
    if (queries.unit() == 1) CHECK(moved == unit);
  }
}

TEST_CASE("the selection spends the budget that the total leaves, and both together spend alpha") {
  const LinearRelease mechanism = add_remove(intervals(3), 2);
  long double worst = 0;
  for_add_remove_pairs([&](const RowCounts& a, const RowCounts& b) {
    worst = std::max(worst, largest_log_ratio(log_law(mechanism.selection(), a), log_law(mechanism.selection(), b)));
  });
  CHECK(worst <= 0.75L);
  CHECK(worst > 0.3L);
  CHECK(mechanism.total_noise()->scale() ==
        Rational::create(4, 1).value());  // 1/0.25, since the total has the sensitivity 1
  tests::CounterBitSource bits("linear epsilon");
  const ScaledDatabase drawn = mechanism.release(RowCounts{1, 2, 0}, bits).value();
  CHECK(drawn.database.proved_epsilon == Rational::create(1, 1).value());
  CHECK_FALSE(mechanism.release_by_chain(RowCounts{1, 2, 0}, 50, bits).value().database.proved_epsilon.has_value());
}

TEST_CASE("the printed scale, alpha/4, spends less than alpha/2") {
  const Selection printed = Selection::create(intervals(3), 2, Rational::create(1, 2).value()).value();
  CHECK(printed.decay().rate() == Rational::create(1, 8).value());  // α/4 divided by m·unit = 2, with α = 1
  long double worst = 0;
  for_add_remove_pairs([&](const RowCounts& a, const RowCounts& b) {
    worst = std::max(worst, largest_log_ratio(log_law(printed, a), log_law(printed, b)));
  });
  CHECK(worst <= 0.5L);
}

// If the total is published without noise, databases of n and of n + 1 records give different outputs, so the loss is
// infinite.
TEST_CASE("publishing the number of records without noise violates the claim under add-remove") {
  tests::CounterBitSource bits("linear clear");
  const auto refused = LinearRelease::create(intervals(3), 2, Neighbours::kAddRemove, eps("1"), std::nullopt);
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CHECK(refused.error().message.find("number of records") != std::string::npos);
  const LinearRelease published =
      LinearRelease::create(intervals(3), 2, Neighbours::kReplaceOne, eps("1"), std::nullopt).value();
  const LinearRelease repaired = add_remove(intervals(3), 2);
  bool overlap = false;
  for (int run = 0; run < 200; ++run) {
    const std::int64_t fewer = published.release(RowCounts{2, 1, 1}, bits).value().total;
    const std::int64_t more = published.release(RowCounts{2, 1, 2}, bits).value().total;
    CHECK(fewer == 4);  // one database gives this output always, and the other never
    CHECK(more == 5);
    overlap = overlap || repaired.release(RowCounts{2, 1, 2}, bits).value().total <= 4;
  }
  CHECK(overlap);  // each run draws this output with probability 0.44
}

// There are two elements and one query. The synthetic database has one row, and the data have 2b and b rows. The best
// database is off by η‖D‖ = b, where η = 1/3 is the error and ‖D‖ = 3b the number of rows. The other database is off by
// 2b. At the printed scale α/4 the other database has the probability 1/(1 + e^{bα/4}).
TEST_CASE("the exponent of Theorem 5 is ηα‖D‖/4, and the term with δ is also divided by ηα") {
  const QueryClass queries = QueryClass::predicates({{1, 0}}).value();
  const auto bad = [&queries](std::uint64_t b, const Rational& alpha) {
    const Rational half = alpha.divided_by(Rational::create(2, 1).value()).value();  // the printed scale is α/4
    const Selection printed = Selection::create(queries, 1, half).value();
    return static_cast<double>(std::exp(log_law(printed, RowCounts{2 * b, b})[0]));
  };
  constexpr double kB = 12;
  const double probability = bad(12, Rational::create(1, 1).value());
  CHECK(probability == doctest::Approx(1 / (1 + std::exp(kB / 4))).epsilon(1e-12).scale(0));
  CHECK(probability > 2 * std::exp(-kB / 2));   // above the printed bound n^m·exp(-ηα‖D‖/2)
  CHECK(probability <= 2 * std::exp(-kB / 4));  // within the bound with the right exponent
  // For α = 1/10 and δ = 1/1000 the printed ‖D‖ = 4(m·ln n/(ηα) + ln(1/δ)) leaves a probability far above δ.
  const double printed_total = 4 * (std::log(2.0) / (0.1 / 3) + std::log(1000.0));
  CHECK(bad(static_cast<std::uint64_t>(printed_total / 3), Rational::create(1, 10).value()) > 0.2);
  const double right_total = 4 / (0.1 / 3) * (std::log(2.0) + std::log(1000.0));
  CHECK(bad(static_cast<std::uint64_t>(right_total / 3) + 1, Rational::create(1, 10).value()) <= 0.001);
}

TEST_CASE("the error of the linear release stays within its bound in 1,000 runs (false alarm 1e-6)") {
  tests::CounterBitSource bits("linear utility");
  constexpr double kBeta = 0.1;
  const LinearRelease mechanism = add_remove(ramps(), 4);
  const RowCounts data{30, 5, 25};
  const auto scores = mechanism.selection().scores(data).value();
  const double best = -static_cast<double>(*std::max_element(scores.begin(), scores.end())) / (4 * 20);
  const double bound = mechanism.error_bound(best, kBeta).value();
  std::uint64_t failures = 0;
  for (int run = 0; run < 1000; ++run) {
    const ScaledDatabase drawn = mechanism.release(data, bits).value();
    double error = 0;
    for (const std::vector<double>& query : {std::vector<double>{0, 0.5, 1}, std::vector<double>{0.25, 1, 0.1}}) {
      double truth = 0;
      for (std::size_t x = 0; x < 3; ++x) truth += query[x] * static_cast<double>(data[x]);
      error = std::max(error, std::abs(drawn.answer(query).value() - truth));
    }
    failures += error > bound ? 1 : 0;
  }
  CHECK(failures <= tests::binomial_band(1000, kBeta, 2e-6).high);
}

// The final error 1/2 needs a database of ⌊8·ln 4⌋ + 1 = 12 rows. The number of records comes from the constants of the
// proof, with the exponent α/2.
TEST_CASE("at the size of Theorem 5 the release is relatively useful in 1,000 runs (false alarm 1e-6)") {
  tests::CounterBitSource bits("linear theorem");
  constexpr double kEta = 0.5;
  constexpr double kDelta = 0.05;
  const auto m = static_cast<std::uint32_t>(synthetic_size(std::log(2.0), kEta).value());
  CHECK(m == 12);
  const std::uint64_t total = release_rows(log_multisets(3, m), kEta, 1, kDelta).value();
  const LinearRelease mechanism =
      LinearRelease::create(ramps(), m, Neighbours::kReplaceOne, eps("1"), std::nullopt).value();
  const RowCounts data{total - total / 3, 0, total / 3};
  std::uint64_t failures = 0;
  for (int run = 0; run < 1000; ++run) {
    const ScaledDatabase drawn = mechanism.release(data, bits).value();
    const double error = error_of(mechanism.selection(), data, drawn.database.counts);
    failures += error >= kEta * static_cast<double>(total) ? 1 : 0;
  }
  CHECK(failures <= tests::binomial_band(1000, kDelta, 2e-6).high);
}

// Under add-remove the number of records is private. If there were a limit, an error for only one of two neighbours
// would tell the neighbours apart.
TEST_CASE("if the number of records is private, no number is refused, and the counted databases stay neighbours") {
  tests::CounterBitSource bits("linear many");
  const LinearRelease mechanism = add_remove(intervals(3), 2);
  const std::uint64_t capacity = mechanism.selection().capacity();
  CHECK(capacity == (std::uint64_t{1} << 61U) / 6);
  const std::uint64_t most = ~std::uint64_t{0};
  for (const RowCounts& counts :
       {RowCounts{most, most, most}, {capacity, capacity, capacity + 1}, {capacity, capacity, capacity}}) {
    const auto drawn = mechanism.release(counts, bits);
    REQUIRE(drawn);
    CHECK(std::abs(static_cast<double>(drawn->total) - 3 * static_cast<double>(capacity)) < 1e6);
    CHECK(mechanism.release_by_chain(counts, 5, bits));
  }
  const auto cut = [&](std::uint64_t last) {
    return mechanism.selection().within_capacity(RowCounts{0, capacity, last});
  };
  CHECK(cut(capacity - 1) == RowCounts{0, capacity, capacity - 1});
  CHECK(cut(capacity) == RowCounts{0, capacity, capacity});
  CHECK(cut(capacity + 1) == cut(capacity));
  CHECK(LinearRelease::create(intervals(3), 4'000'000'000, Neighbours::kAddRemove, eps("1"), eps("0.5")));
}

TEST_CASE("weights without a valid form, missing records and budgets that do not add up are refused") {
  tests::CounterBitSource bits("linear refusals");
  const LinearRelease with_public_total =
      LinearRelease::create(ramps(), 2, Neighbours::kReplaceOne, eps("1"), std::nullopt).value();
  CHECK(with_public_total.release(RowCounts{0, 0, 0}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(with_public_total.release(RowCounts{0, 0}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(add_remove(ramps(), 2).release(RowCounts{0, 0, 0}, bits).value().database.counts.size() == 3);
  for (const char* share : {"1", "2"}) {
    CHECK_FALSE(LinearRelease::create(ramps(), 2, Neighbours::kAddRemove, eps("1"), eps(share)));
  }
  CHECK_FALSE(LinearRelease::create(ramps(), 2, Neighbours::kReplaceOne, eps("1"), eps("0.5")));
  const ScaledDatabase drawn = with_public_total.release(RowCounts{1, 1, 0}, bits).value();
  CHECK_FALSE(drawn.answer(std::vector<double>{1, 0}));
  CHECK_FALSE(drawn.answer(std::vector<double>{1, 0, std::numeric_limits<double>::quiet_NaN()}));
  CHECK_FALSE(with_public_total.error_bound(-1, 0.5));
  for (const double beta : {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_FALSE(with_public_total.error_bound(0, beta));
  }
}

}  // namespace
}  // namespace hearsay::central
