// For attributes of few values, compares the bound on the cost of all ranges with the cost of each range.
#include "aggregator/planner/large_levels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "aggregator/planner/one_attribute.h"
#include "tests/support/questions.h"

namespace hearsay::planner {
namespace {

Questions by_levels(std::uint32_t values, const std::vector<std::uint32_t>& weights) {
  LevelQuestions levels{{}, weights};
  for (std::uint32_t level = 0; level < weights.size(); ++level) levels.levels.push_back({level});
  return Questions::create(levels, values).value();
}

TEST_CASE("no range or prefix costs more than the bound, and the bound is near the largest cost") {
  for (const auto& one_case :
       std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>>{{16, {1, 1, 1, 1}},
                                                                         {13, {1, 1, 1, 1}},
                                                                         {9, {1, 1, 1, 1}},
                                                                         {64, {1, 1, 1, 1, 1, 1}},
                                                                         {41, {3, 2, 2, 2, 2, 1}},
                                                                         {32, {2, 2, 3, 2, 1}}}) {
    const std::uint32_t values = one_case.first;
    CAPTURE(values);
    const Questions questions = by_levels(values, one_case.second);
    const Attribute attribute = Attribute::range("x", 0, values - 1).value();
    for (const Indicators which : {Indicators::kRanges, Indicators::kPrefixes}) {
      const auto dearest = dearest_by_levels(questions, which);
      REQUIRE(dearest);
      double energy = 0;
      double score = 0;
      const IndicatorClass all = indicators(attribute, questions, which, false).value();
      for (const Indicator& one : all.list) {
        energy = std::max(energy, one.energy);
        score = std::max(score, one.score);
        CHECK(one.mean >= -1e-9);
        CHECK(one.mean <= 1 + 1e-9);
      }
      CHECK(energy <= dearest->energy * (1 + 1e-9));
      CHECK(score <= 2 * dearest->score);  // for a range, the list has the sum of two bounds
      const bool is_power = std::has_single_bit(values);
      if (which == Indicators::kPrefixes && is_power) {
        CHECK(dearest->energy == doctest::Approx(energy).epsilon(1e-9));
        CHECK(score <= dearest->score * (1 + 1e-9));
      }
      CHECK(dearest->energy <= (is_power ? 1.003 : 1.6) * energy);
      CHECK(dearest->first <= dearest->last);
      CHECK(dearest->last < values);
      if (!is_power) continue;
      const auto named = std::ranges::find_if(
          all.list, [&](const Indicator& one) { return one.first == dearest->first && one.last == dearest->last; });
      if (named != all.list.end()) CHECK(named->energy == doctest::Approx(energy).epsilon(1e-9));
    }
  }
}

TEST_CASE("other questions than levels have no bound, nor have other functions than ranges and prefixes") {
  CHECK_FALSE(dearest_by_levels(by_levels(16, {1, 1, 1, 1}), Indicators::kLiterals));
  CHECK_FALSE(dearest_by_levels(Questions::create(ParityQuestions{1}, 16).value(), Indicators::kRanges));
  CHECK_FALSE(dearest_by_levels(Questions::create(tests::levels({{0, 1}, {0, 2}, {1, 2}}, {1, 1, 1}), 8).value(),
                                Indicators::kRanges));
  CHECK_FALSE(dearest_by_levels(Questions::create(tests::levels({{0}, {2}}, {1, 1}), 8).value(), Indicators::kRanges));
  // If a level is asked less than half as often as the level below, there is no bound.
  CHECK_FALSE(dearest_by_levels(by_levels(16, {9, 4, 4, 4}), Indicators::kRanges));
}

}  // namespace
}  // namespace hearsay::planner
