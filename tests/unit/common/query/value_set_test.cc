#include "common/query/value_set.h"

#include <doctest/doctest.h>

#include <bitset>
#include <limits>
#include <random>

namespace hearsay::query {
namespace {

constexpr std::uint32_t kSize = 12;

bool canonical(const ValueSet& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].first > values[i].second) return false;
    if (i > 0 && values[i].first <= values[i - 1].second + 1) return false;
  }
  return true;
}

TEST_CASE("unions, complements, membership and counts agree with bit sets") {
  std::mt19937 random(5);
  for (int round = 0; round < 5000; ++round) {
    ValueSet intervals;
    std::bitset<kSize> bits;
    for (std::uint32_t i = random() % 6; i > 0; --i) {
      const auto first = static_cast<std::uint32_t>(random() % kSize);
      const auto last = first + static_cast<std::uint32_t>(random() % (kSize - first));
      intervals.emplace_back(first, last);
      for (std::uint32_t value = first; value <= last; ++value) bits.set(value);
    }
    const ValueSet values = make_value_set(intervals);
    const ValueSet rest = complement(values, kSize);
    REQUIRE(canonical(values));
    REQUIRE(canonical(rest));
    CHECK(count(values) == bits.count());
    CHECK(count(rest) == kSize - bits.count());
    for (std::uint32_t value = 0; value < kSize; ++value) {
      CHECK(contains(values, value) == bits.test(value));
      CHECK(contains(rest, value) != bits.test(value));
    }
    CHECK(complement(rest, kSize) == values);
  }
}

TEST_CASE("the widest indices do not wrap around") {
  constexpr std::uint32_t kMax = std::numeric_limits<std::uint32_t>::max();
  CHECK(make_value_set({{kMax, kMax}, {0, 0}}) == ValueSet{{0, 0}, {kMax, kMax}});
  CHECK(make_value_set({{5, kMax}, {0, 4}}) == ValueSet{{0, kMax}});
  CHECK(count({{0, kMax}}) == std::uint64_t{1} << 32U);
}

}  // namespace
}  // namespace hearsay::query
