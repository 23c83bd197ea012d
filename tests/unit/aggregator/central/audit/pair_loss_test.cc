#include "aggregator/central/audit/pair_loss.h"

#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/central/audit/databases.h"
#include "aggregator/central/audit/interval.h"
#include "tests/support/numbers.h"
#include "tests/support/selection_laws.h"

namespace hearsay::central {
namespace {

using tests::ratio;

TEST_CASE("log-ratios are compared exactly on both sides of e") {
  // 2.718281828459045235 < e < 2.718281828459045236.
  const Uint128 unit = 1'000'000'000'000'000'000U;
  const LogRatio below{{}, {Uint128{2'718'281'828'459'045'235U}, unit}};
  const LogRatio above{{}, {Uint128{2'718'281'828'459'045'236U}, unit}};
  CHECK(*compare(below, ratio(1)) == std::partial_ordering::less);
  CHECK(*compare(above, ratio(1)) == std::partial_ordering::greater);
  // The comparisons also hold after a shift by an exact part, on either side, and with two factors.
  CHECK(*compare({{false, ratio(3)}, below.ratio}, ratio(4)) == std::partial_ordering::less);
  CHECK(*compare({{false, ratio(3)}, above.ratio}, ratio(4)) == std::partial_ordering::greater);
  CHECK(*compare({{false, ratio(3)}, {unit, above.ratio.num}}, ratio(2)) == std::partial_ordering::less);
  CHECK(*compare({{false, ratio(3)}, {unit, below.ratio.num}}, ratio(2)) == std::partial_ordering::greater);
  CHECK(*compare({{}, above.ratio, 2}, ratio(2)) == std::partial_ordering::greater);
  CHECK(*compare({{false, ratio(1, 3)}}, ratio(1, 3)) == std::partial_ordering::equivalent);
  CHECK(*compare({{true, ratio(1, 3)}}, ratio(0)) == std::partial_ordering::less);
  CHECK(above.approximate() == doctest::Approx(1).epsilon(1e-15));
}

TEST_CASE("certified weights enclose the stated laws of the mechanisms closely") {
  const std::vector<std::int64_t> scores{3, 0, 2, 3, -70};
  const std::vector<std::uint64_t> gaps{0, 3, 1, 0, 73};
  const Rational rate = ratio(3, 4);
  const GapDecay decay = GapDecay::create(ratio(3, 2), ratio(1), ScoreMovement::kEitherWay).value();
  REQUIRE(decay.rate() == rate);
  const auto check = [&](const OutputLaw& law, const std::vector<long double>& logs) {
    long double low = 0;
    long double high = 0;
    for (std::size_t c = 0; c < gaps.size(); ++c) {
      const WeightedOutcome& outcome = law.outcomes[c];
      const long double weight = std::exp(logs[c] + 0.75L * static_cast<long double>(gaps[c]));
      CHECK(outcome.weight_low <= weight * (1 + 1e-16L));
      CHECK(outcome.weight_high >= weight * (1 - 1e-16L));
      CHECK(outcome.weight_high - outcome.weight_low < 1e-16L);
      low += std::exp(-0.75L * static_cast<long double>(gaps[c])) * outcome.weight_low;
      high += std::exp(-0.75L * static_cast<long double>(gaps[c])) * outcome.weight_high;
    }
    CHECK(low <= 1 + 1e-18L);
    CHECK(high >= 1 - 1e-18L);
  };
  check(exponential_law(rate, gaps).value(), tests::log_law(ExponentialMechanism(decay), scores));
  check(permute_and_flip_law(rate, gaps).value(), tests::log_law(PermuteAndFlip(decay), scores));
  CHECK(exponential_law(rate, {}).error().code == ErrorCode::kInvalidArgument);
  CHECK(permute_and_flip_law(rate, std::vector<std::uint64_t>(33)).error().code == ErrorCode::kDomainTooLarge);
}

TEST_CASE("the losses of independent parts add up, and a part without noise has an unbounded loss") {
  OutputLaw a = exponential_law(ratio(1, 2), std::vector<std::uint64_t>{0, 2}).value();
  OutputLaw b = exponential_law(ratio(1, 2), std::vector<std::uint64_t>{2, 0}).value();
  a.statistic = {5, -1};
  b.statistic = {4, 2};
  a.scale = b.scale = ratio(8);
  // The noise loses 4/8. The weights have equal sums, so the first outcome loses (1/2)·2 more.
  const PairLoss loss = loss_between(a, b).value();
  CHECK(loss.outcomes[0].high.exact.magnitude == ratio(3, 2));
  CHECK(*compare(loss.outcomes[0].high, ratio(3, 2)) == std::partial_ordering::equivalent);
  CHECK(*loss.most == ratio(5, 2));  // the proved bound does not use that the sums are equal
  CHECK(!loss.infinite);
  a.clear = {1};
  CHECK(loss_between(a, b)->infinite);
  b.clear = {2};
  CHECK(loss_between(a, b)->infinite);
  b.clear = {1};
  CHECK(!loss_between(a, b)->infinite);
  b.statistic = {4};
  CHECK(loss_between(a, b)->infinite);
}

TEST_CASE("ratios of floating-point numbers are rounded towards the larger loss") {
  const Outcome outcome = outcome_from(0.3L, 0.1L, 1e-9L);
  CHECK(outcome.low.approximate() < std::log(3.0));
  CHECK(outcome.high.approximate() > std::log(3.0));
  CHECK(outcome.high.approximate() - outcome.low.approximate() < 1e-8);
  CHECK(outcome_from(0.1L, 0.3L, 1e-9L).low.approximate() == doctest::Approx(-std::log(3.0)).epsilon(1e-8));
  CHECK(std::isfinite(outcome_from(1, 1e-4000L, 0).low.approximate()));
}

TEST_CASE("the enumeration has the right numbers of databases, neighbours and farther pairs") {
  const auto count = [](const Universe& universe, std::size_t from, std::uint32_t distance) {
    return Databases::enumerate(universe)->at_distance(from, distance).size();
  };
  const Universe ordered{3, 3, Neighbours::kReplaceOne, true};
  CHECK(Databases::enumerate(ordered)->size() == 27);
  CHECK(count(ordered, 0, 1) == 6);   // C(3,1)·2
  CHECK(count(ordered, 0, 2) == 12);  // C(3,2)·4
  CHECK(count(ordered, 0, 3) == 8);
  CHECK(count(ordered, 0, 4) == 0);
  const Universe sorted{3, 3, Neighbours::kReplaceOne, false};
  CHECK(Databases::enumerate(sorted)->size() == 10);  // C(5,3)
  CHECK(count(sorted, 0, 1) == 2);
  const Universe growing{2, 2, Neighbours::kAddRemove, true};
  CHECK(Databases::enumerate(growing)->size() == 7);  // tables of 0, 1 and 2 rows
  CHECK(count(growing, 0, 1) == 2);
  CHECK(count(growing, 0, 2) == 4);
  CHECK(Databases::enumerate({2, 15, Neighbours::kReplaceOne, true}).error().code == ErrorCode::kDomainTooLarge);
  CHECK(Databases::enumerate({2, 14, Neighbours::kReplaceOne, true})->size() == Databases::kMost);
  CHECK(Databases::enumerate({0, 1, Neighbours::kReplaceOne, true}).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay::central
