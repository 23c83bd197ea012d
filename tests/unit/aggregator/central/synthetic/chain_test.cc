#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/synthetic/classes.h"
#include "tests/unit/aggregator/central/synthetic/walk_law.h"

namespace hearsay::central {
namespace {

Selection selection_of(QueryClass queries, std::uint32_t size) {
  return Selection::create(std::move(queries), size, Rational::create(1, 1).value()).value();
}

double total_variation(const std::vector<double>& law, const std::vector<long double>& logs) {
  double sum = 0;
  for (std::size_t i = 0; i < law.size(); ++i) sum += std::abs(law[i] - static_cast<double>(std::exp(logs[i])));
  return sum / 2;
}

TEST_CASE("the chain comes within 0.02 of the enumeration in total variation") {
  SUBCASE("8 elements and 5 rows make 792 databases") {
    const Selection selection = selection_of(intervals(8), 5);
    const RowCounts data{3, 0, 0, 9, 1, 0, 0, 7};
    const auto limit = log_law(selection, data);
    const double early = total_variation(walk_law(selection, data, 20), limit);
    const double late = total_variation(walk_law(selection, data, 400), limit);
    CHECK(early > 0.1);
    CHECK(late <= 0.02);
  }
  SUBCASE("16 elements and 4 rows make 3,876 databases") {
    const Selection selection = selection_of(thresholds(16), 4);
    const RowCounts data{3, 0, 0, 9, 1, 0, 0, 7, 0, 0, 0, 2, 2, 0, 0, 1};
    CHECK(total_variation(walk_law(selection, data, 600), log_law(selection, data)) <= 0.02);
  }
}

// There are 10 databases. In 20,000 runs of 12 steps, each count has a false alarm of 1e-9.
TEST_CASE("the running chain has the computed law, and the chain claims no ε") {
  tests::CounterBitSource bits("walk");
  const Selection selection = selection_of(thresholds(3), 3);
  const RowCounts data{1, 6, 3};
  const auto law = walk_law(selection, data, 12);
  const Multisets all = Multisets::create(3, 3).value();
  std::vector<std::uint64_t> seen(all.count(), 0);
  for (int run = 0; run < 20'000; ++run) {
    const SyntheticDatabase database = selection.walk(data, 12, bits).value();
    CHECK_FALSE(database.proved_epsilon.has_value());
    ++seen[all.index_of(database.counts)];
  }
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK(tests::binomial_band(20'000, law[i], 1e-9).contains(seen[i]));
}

// Makes 1,500 runs of 600 steps on 54,264 databases. Checks the probability of every sufficiently likely score, with a
// false alarm of 1e-8 in all. The bands are 0.02 wider, because the chain may be off by this total variation.
TEST_CASE("runs on sixteen elements have the scores of the enumeration") {
  tests::CounterBitSource bits("walk large");
  const Selection selection = selection_of(thresholds(16), 6);
  const RowCounts data{3, 0, 0, 9, 1, 0, 0, 7, 0, 0, 0, 2, 2, 0, 0, 1};
  const auto scores = selection.scores(data).value();
  const auto law = log_law(selection, data);
  std::map<std::int64_t, double> chance;
  for (std::size_t i = 0; i < law.size(); ++i) chance[scores[i]] += static_cast<double>(std::exp(law[i]));
  const Multisets all = Multisets::create(16, 6).value();
  std::map<std::int64_t, std::uint64_t> seen;
  constexpr std::uint64_t kRuns = 1500;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    ++seen[scores[all.index_of(selection.walk(data, 600, bits).value().counts)]];
  }
  int compared = 0;
  for (const auto& [score, p] : chance) {
    if (p < 0.03) continue;
    ++compared;
    CHECK(seen[score] >= tests::binomial_band(kRuns, p - 0.02, 1e-9).low);
    CHECK(seen[score] <= tests::binomial_band(kRuns, p + 0.02, 1e-9).high);
  }
  CHECK(compared >= 5);
}

}  // namespace
}  // namespace hearsay::central
