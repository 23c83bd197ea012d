#include "aggregator/central/dimensions/shattering.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "aggregator/central/dimensions/named_class.h"
#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"

namespace hearsay::central {
namespace {

using tests::ratio;

std::size_t dimension(const char* name, std::uint32_t size) {
  return fat_shattering(named_class(name, size).value(), ratio(1, 2))->dimension();
}

// Returns true if the set is shattered by Definition 3, with a threshold r that is a multiple of 1/(2·unit). gamma
// counts the same steps.
bool shattered(const QueryClass& queries, const std::vector<std::size_t>& set, std::uint32_t gamma, bool one_level) {
  const auto levels = static_cast<std::uint32_t>(2 * queries.unit() + 1);
  std::vector<std::uint32_t> r(set.size(), 0);
  while (true) {
    std::vector<bool> seen(std::size_t{1} << set.size(), false);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::size_t pattern = 0;
      bool clear = true;
      for (std::size_t i = 0; i < set.size(); ++i) {
        const std::uint32_t weight = 2 * queries.weights_of(set[i])[q];
        if (weight >= r[i] + gamma) pattern |= std::size_t{1} << i;
        clear = clear && (weight >= r[i] + gamma || weight + gamma <= r[i]);
      }
      if (clear) seen[pattern] = true;
    }
    if (std::all_of(seen.begin(), seen.end(), [](bool one) { return one; })) return true;
    std::size_t i = 0;
    if (one_level) {
      for (std::uint32_t& level : r) ++level;
      if (set.empty() || r[0] == levels) return false;
      continue;
    }
    while (i < r.size() && ++r[i] == levels) r[i++] = 0;
    if (i == r.size()) return false;
  }
}

std::size_t brute_force(const QueryClass& queries, std::uint32_t gamma, bool one_level) {
  std::size_t best = 0;
  for (std::size_t bits = 0; bits < std::size_t{1} << queries.domain(); ++bits) {
    std::vector<std::size_t> set;
    for (std::size_t x = 0; x < queries.domain(); ++x) {
      if ((bits >> x & 1U) != 0) set.push_back(x);
    }
    if (set.size() > best && shattered(queries, set, gamma, one_level)) best = set.size();
  }
  return best;
}

// Checks that the query named for each pattern has the pattern.
void check_witness(const QueryClass& queries, const Shattering& found, std::uint32_t gap) {
  REQUIRE(found.queries.size() == std::size_t{1} << found.dimension());
  for (std::size_t b = 0; b < found.queries.size(); ++b) {
    for (std::size_t j = 0; j < found.dimension(); ++j) {
      const ShatteredElement& one = found.elements[j];
      CHECK(one.high >= one.low + gap);
      const std::uint32_t weight = queries.weights_of(one.element)[found.queries[b]];
      CHECK(((b >> j & 1U) != 0 ? weight >= one.high : weight <= one.low));
    }
  }
}

TEST_CASE("the VC dimensions of known classes are found") {
  CHECK(dimension("points", 6) == 1);
  CHECK(dimension("thresholds", 6) == 1);
  CHECK(dimension("intervals", 9) == 2);
  CHECK(dimension("subsets", 7) == 7);
  for (std::uint32_t bits = 2; bits <= 4; ++bits) {
    CHECK(dimension("conjunctions", bits) == bits);
    CHECK(dimension("parities", bits + 1) == bits);
  }
}

TEST_CASE("the search agrees with the definition on 200 random classes, at every scale") {
  tests::CounterBitSource bits("random classes");
  for (int trial = 0; trial < 200; ++trial) {
    const std::uint64_t unit = 1 + uniform_below(bits, 4);
    const std::size_t elements = 1 + uniform_below(bits, 4);
    const std::size_t count = 1 + uniform_below(bits, 12);
    std::vector<std::vector<double>> weights(count, std::vector<double>(elements));
    for (auto& query : weights) {
      for (double& weight : query)
        weight = static_cast<double>(uniform_below(bits, unit + 1)) / static_cast<double>(unit);
    }
    const QueryClass queries = QueryClass::linear(weights, unit).value();
    const auto gap = static_cast<std::uint32_t>(1 + uniform_below(bits, unit));
    const Shattering found = fat_shattering(queries, ratio(gap, 2 * unit)).value();
    CHECK(found.dimension() == brute_force(queries, gap, false));
    check_witness(queries, found, gap);
    const Shattering level = level_shattering(queries, gap).value();
    CHECK(level.dimension() == brute_force(queries, gap, true));
    check_witness(queries, level, gap);
    CHECK(level.dimension() <= found.dimension());
    // Checks Observation 1, and the pigeonhole principle of Theorem 2 at half of the gap.
    CHECK(std::exp2(static_cast<double>(found.dimension())) <= static_cast<double>(count));
    const auto pieces = std::max(1.0, std::ceil(2.0 * static_cast<double>(unit) / gap - 2));
    const std::uint32_t half = (gap + 1) / 2;
    CHECK(static_cast<double>(level_shattering(queries, half)->dimension()) * pieces >=
          static_cast<double>(found.dimension()));
  }
}

TEST_CASE("the dimension falls when gamma grows") {
  const QueryClass distances = named_class("distances", 17).value();
  std::size_t last = 17;
  for (std::uint64_t gamma = 1; gamma <= 16; ++gamma) {
    const std::size_t now = fat_shattering(distances, ratio(gamma, 32))->dimension();
    CHECK(now <= last);
    last = now;
  }
  CHECK(last == 1);  // at the largest scale one end of the line is shattered
  CHECK(fat_shattering(distances, ratio(1, 32))->dimension() >= 2);
}

TEST_CASE("scales gamma out of range, and classes that are too large, are refused") {
  const QueryClass points = named_class("points", 3).value();
  CHECK(fat_shattering(points, ratio(0)).error().code == ErrorCode::kInvalidArgument);
  CHECK(fat_shattering(points, ratio(2, 3)).error().code == ErrorCode::kInvalidArgument);
  CHECK(level_shattering(points, 2).error().code == ErrorCode::kInvalidArgument);
  CHECK(named_class("nothing", 3).error().code == ErrorCode::kNotFound);
  CHECK(named_class("subsets", 21).error().code == ErrorCode::kDomainTooLarge);
  CHECK(named_class("parities", 14).error().code == ErrorCode::kDomainTooLarge);
  CHECK(parse_class("1, 0\n0.5,x\n", 2).error().code == ErrorCode::kInvalidArgument);
  CHECK(parse_class("1, 0\r\n\n0.5 ,1\n", 2)->weights_of(0)[1] == 1);
}

}  // namespace
}  // namespace hearsay::central
