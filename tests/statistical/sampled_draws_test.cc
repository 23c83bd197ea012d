// Checks two laws of the channel `sampled`, with 300,000 deterministic draws for each case. Groups are drawn with the
// stated weights and odds. The share of reports that cover a coordinate is the one that coverage() states.
//
// The false alarm is at most 1e-8 for each of the 25 cases that cover coordinates. Half of this false alarm is for χ²
// over all groups. The other half is for the counts of all (class, coordinate) pairs, by the union bound. The 18 cases
// of other questions have only the χ². The sum of all false alarms is below 4e-7. Groups that are expected less than 50
// times share a cell of the χ².
//
// Power: let p be the probabilities of g groups by the stated law, and p' by another law. If n·Σ(p'-p)²/p is at least
// 16·√g + 40, χ² misses with probability below 1e-8. Two equally likely classes of 42 groups together reach this if
// one class is drawn 5 % too often.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/support/bit_sources.h"
#include "tests/support/sampled_tasks.h"
#include "tests/support/statistics.h"

namespace hearsay {
namespace {

using tests::all_sampled_cases;
using tests::groups_of;
using tests::sampled_cases;
using tests::SampledCase;
using tests::SampledParts;

constexpr std::uint64_t kDraws = 300'000;
constexpr double kBudget = 1e-8;

std::vector<double> law_of(const SampledParts& parts, const SampledSpec& spec) {
  const SampledChannel& channel = parts.sampled();
  std::vector<double> law;
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const double share =
        static_cast<double>(channel.class_of(group).weight) / static_cast<double>(channel.total_weight());
    law.push_back(share * tests::chance_within_class(parts.schema(), spec, channel, group));
  }
  return law;
}

std::vector<std::uint64_t> counts_of(const SampledChannel& channel, const std::string& key) {
  tests::CounterBitSource bits(key);
  std::vector<std::uint64_t> counts(channel.groups(), 0);
  for (std::uint64_t i = 0; i < kDraws; ++i) ++counts.at(channel.draw(bits).group);
  return counts;
}

bool fits(const std::vector<std::uint64_t>& counts, const std::vector<double>& law) {
  constexpr double kLeast = 50;
  double statistic = 0;
  double rare_expected = 0;
  double rare_count = 0;
  double cells = 0;
  const auto add = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t group = 0; group < law.size(); ++group) {
    const double expected = law[group] * static_cast<double>(kDraws);
    if (expected >= kLeast) {
      add(static_cast<double>(counts[group]), expected);
    } else {
      rare_expected += expected;
      rare_count += static_cast<double>(counts[group]);
    }
  }
  if (rare_expected >= kLeast) add(rare_count, rare_expected);
  return cells < 2 || statistic <= tests::chi_square_threshold(cells - 1, kBudget / 2);
}

TEST_CASE("groups are drawn by their weights and odds") {
  std::size_t tested = 0;
  for (const SampledCase& c : all_sampled_cases()) {
    CAPTURE(c.name);
    const SampledParts parts = SampledParts::create(c, "1");
    const std::vector<double> law = law_of(parts, c.channel);
    CHECK(fits(counts_of(parts.sampled(), c.name), law));
    tested += law.size();
  }
  CHECK(tested > 300);
}

TEST_CASE("every coordinate is covered as often as stated, by every class") {
  for (const SampledCase& c : sampled_cases()) {
    CAPTURE(c.name);
    const SampledParts parts = SampledParts::create(c, "1");
    const SampledChannel& channel = parts.sampled();
    const std::vector<std::uint64_t> counts = counts_of(channel, c.name + " coverage");
    const auto* characters = std::get_if<Characters>(&parts.arrangement().kind());
    const double pairs = static_cast<double>(channel.classes().size() * channel.dimension());
    std::vector<SampledChannel::Covered> covered;
    for (const auto& group_class : channel.classes()) {
      std::vector<std::uint64_t> seen(channel.dimension(), 0);
      for (std::uint64_t group = group_class.first; group < group_class.first + group_class.count; ++group) {
        channel.covered(group, covered);
        for (const auto& each : covered) seen[each.coordinate] += counts[group];
      }
      for (std::uint32_t j = 0; j < channel.dimension(); ++j) {
        std::vector<std::uint32_t> attributes;
        if (characters != nullptr) {
          for (const Factor& factor : characters->factors(j)) attributes.push_back(factor.attribute);
        } else if (&channel.class_of(j / c.channel.group_size) != &group_class) {
          continue;  // a literal lies in one group
        }
        const double p = channel.coverage(group_class, attributes);
        if (p == 0 || p == 1) {
          REQUIRE(seen[j] == (p == 0 ? 0 : kDraws));
          continue;
        }
        REQUIRE(tests::binomial_band(kDraws, p, kBudget / 2 / pairs).contains(seen[j]));
      }
    }
  }
}

TEST_CASE("a class whose weight is 10 % too large is found, and so are wrong odds") {
  const std::string shape = "b c3 r5";
  const auto spec_of = [&](std::uint32_t singles, const std::vector<std::uint32_t>& odds) {
    return groups_of(tests::with_odds({{GroupKind::kSingle, 1, singles}, {GroupKind::kRaw, 2, 100}}, odds));
  };
  const auto counts = [&](const SampledSpec& spec, const std::string& key) {
    const SampledParts parts = SampledParts::create({"planted", shape, CharactersSpec{2}, spec}, "1");
    return counts_of(parts.sampled(), key);
  };
  const SampledSpec stated = spec_of(100, {});
  const SampledSpec by_masks = spec_of(100, tests::odds_by_masks(tests::schema_of(shape)));
  const SampledParts parts = SampledParts::create({"planted", shape, CharactersSpec{2}, stated}, "1");
  CHECK(fits(counts(stated, "stated"), law_of(parts, stated)));
  CHECK_FALSE(fits(counts(spec_of(110, {}), "heavier"), law_of(parts, stated)));
  CHECK_FALSE(fits(counts(by_masks, "by masks"), law_of(parts, stated)));
  CHECK_FALSE(fits(counts(stated, "not by masks"), law_of(parts, by_masks)));
}

// The coin decides privacy, so all its bits must be uniform, and so must the answer's bits. There are 64 + 3 counts.
// Each count lies within a band of a false alarm of 1e-8/67.
TEST_CASE("the bits of the coin and of the answer are fair") {
  const SampledParts parts =
      SampledParts::create({"fair", "b b b", CharactersSpec{1}, groups_of({{GroupKind::kRaw, 3, 1}})}, "1");
  tests::CounterBitSource bits("fair");
  std::vector<std::uint64_t> ones(67, 0);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const auto draw = parts.sampled().draw(bits);
    for (unsigned bit = 0; bit < 64; ++bit) ones[bit] += draw.coin >> bit & 1U;
    for (unsigned bit = 0; bit < 3; ++bit) ones[64 + bit] += draw.uniform >> bit & 1U;
  }
  const tests::Band band = tests::binomial_band(kDraws, 0.5, kBudget / 67);
  for (const std::uint64_t count : ones) CHECK(band.contains(count));
}

}  // namespace
}  // namespace hearsay
