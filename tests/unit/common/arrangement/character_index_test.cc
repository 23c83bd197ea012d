#include "common/arrangement/character_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "tests/support/small_domains.h"

namespace hearsay {
namespace {

using Character = std::vector<Factor>;

const std::vector<std::vector<std::uint32_t>> kBits = {
    {1},       {3},          {1, 1},       {1, 1, 1, 1, 1, 1}, {2, 1},       {1, 3}, {2, 2, 2},
    {1, 2, 3}, {3, 2, 1, 1}, {1, 4, 1, 2}, {2, 1, 2, 1},       {1, 1, 3, 1}, {5, 1}, {2, 2, 1, 1, 2}};

std::vector<std::uint32_t> masks_of(const std::vector<std::uint32_t>& bits) {
  std::vector<std::uint32_t> masks;
  for (const std::uint32_t b : bits) masks.push_back((1U << b) - 1);
  return masks;
}

void list(const std::vector<std::uint32_t>& bits, std::size_t from, std::size_t l, Character& chosen,
          std::vector<Character>& out) {
  if (chosen.size() == l) {
    out.push_back(chosen);
    return;
  }
  for (std::size_t i = from; i < bits.size(); ++i) {
    for (std::uint32_t mask = 1; mask < 1U << bits[i]; ++mask) {
      chosen.push_back({static_cast<std::uint32_t>(i), mask});
      list(bits, i + 1, l, chosen, out);
      chosen.pop_back();
    }
  }
}

// Returns true if `a` comes before `b` in the order of the ranks. The order is by the largest attribute, then by the
// other factors, then by the mask of the largest attribute.
bool before(std::span<const Factor> a, std::span<const Factor> b) {
  if (a.empty()) return false;
  if (a.back().attribute != b.back().attribute) return a.back().attribute < b.back().attribute;
  const auto others_of_a = a.first(a.size() - 1);
  const auto others_of_b = b.first(b.size() - 1);
  if (before(others_of_a, others_of_b)) return true;
  if (before(others_of_b, others_of_a)) return false;
  return a.back().mask < b.back().mask;
}

std::vector<Character> sorted_list(const std::vector<std::uint32_t>& bits, std::size_t l) {
  std::vector<Character> characters;
  Character chosen;
  list(bits, 0, l, chosen, characters);
  std::sort(characters.begin(), characters.end(), before);
  return characters;
}

TEST_CASE("the rank is the place in the sorted list, and unrank() inverts rank()") {
  for (const auto& bits : kBits) {
    const auto attributes = static_cast<std::uint32_t>(bits.size());
    const CharacterIndex index = CharacterIndex::create(masks_of(bits), attributes).value();
    REQUIRE(index.attributes() == attributes);
    for (std::uint32_t l = 1; l <= attributes; ++l) {
      const std::vector<Character> characters = sorted_list(bits, l);
      REQUIRE(index.count(l) == characters.size());
      for (std::uint64_t rank = 0; rank < characters.size(); ++rank) {
        REQUIRE(index.rank(characters[rank]) == rank);
        Character found(l);
        index.unrank(rank, found);
        REQUIRE(found == characters[rank]);
      }
    }
  }
}

TEST_CASE("an index of fewer attributes gives the ranks of the full index") {
  for (const auto& bits : kBits) {
    const auto attributes = static_cast<std::uint32_t>(bits.size());
    for (std::uint32_t most = 1; most <= attributes; ++most) {
      const CharacterIndex index = CharacterIndex::create(masks_of(bits), most).value();
      CHECK(index.max_attributes() == most);
      const std::vector<Character> characters = sorted_list(bits, most);
      REQUIRE(index.count(most) == characters.size());
      for (std::uint64_t rank = 0; rank < characters.size(); ++rank) REQUIRE(index.rank(characters[rank]) == rank);
    }
  }
}

TEST_CASE("the characters on one set of attributes are consecutive, and the last mask changes fastest") {
  for (const auto& bits : kBits) {
    const auto attributes = static_cast<std::uint32_t>(bits.size());
    const CharacterIndex index = CharacterIndex::create(masks_of(bits), attributes).value();
    for (std::uint32_t set = 1; set < 1U << attributes; ++set) {
      std::vector<std::uint32_t> members;
      Character character;
      for (std::uint32_t i = 0; i < attributes; ++i) {
        if ((set >> i & 1U) == 0) continue;
        members.push_back(i);
        character.push_back({i, 1});
      }
      const auto [first, size] = index.ranks_on(members);
      for (std::uint64_t n = 0; n < size; ++n) {
        REQUIRE(index.rank(character) == first + n);
        std::size_t digit = members.size() - 1;
        while (digit > 0 && character[digit].mask == index.masks(members[digit])) character[digit--].mask = 1;
        ++character[digit].mask;
      }
      // Every combination of masks has occurred, so the first mask has passed its last value.
      CHECK(character.front().mask == index.masks(members.front()) + 1);
    }
  }
}

TEST_CASE("if each attribute has one bit, binomial coefficients rank the sets") {
  const CharacterIndex index = CharacterIndex::create(std::vector<std::uint32_t>(4096, 1), 4).value();
  CHECK(index.count(1) == 4096);
  CHECK(index.count(2) == 4096ULL * 4095 / 2);
  CHECK(index.count(3) == 4096ULL * 4095 / 2 * 4094 / 3);
  CHECK(index.count_below(2, 10) == 45);
  // The rank is C(7, 1) + C(100, 2) + C(4000, 3).
  const Character character{{7, 1}, {100, 1}, {4000, 1}};
  CHECK(index.rank(character) == 7 + 100 * 99 / 2 + 4000ULL * 3999 * 3998 / 6);
  Character last(4);
  index.unrank(index.count(4) - 1, last);
  CHECK(last == Character{{4092, 1}, {4093, 1}, {4094, 1}, {4095, 1}});
}

TEST_CASE("rank() and unrank() agree on large indices") {
  std::vector<std::uint32_t> bits;
  for (std::uint32_t i = 0; i < 200; ++i) bits.push_back(1 + i * 7 % 11);
  const CharacterIndex index = CharacterIndex::create(masks_of(bits), 4).value();
  for (std::uint32_t l = 1; l <= 4; ++l) {
    const std::uint64_t step = index.count(l) / 1009 + 1;
    for (std::uint64_t rank = 0; rank < index.count(l); rank += step) {
      Character found(l);
      index.unrank(rank, found);
      for (std::size_t i = 0; i + 1 < found.size(); ++i) REQUIRE(found[i].attribute < found[i + 1].attribute);
      for (const auto& [attribute, mask] : found) {
        REQUIRE(mask >= 1);
        REQUIRE(mask <= index.masks(attribute));
      }
      REQUIRE(index.rank(found) == rank);
    }
  }
}

TEST_CASE("invalid indices are refused") {
  const auto refused = [](std::vector<std::uint32_t> masks, std::uint32_t most) {
    const auto index = CharacterIndex::create(std::move(masks), most);
    REQUIRE_FALSE(index);
    return index.error().code;
  };
  CHECK(refused({}, 1) == ErrorCode::kInvalidArgument);
  CHECK(refused({1, 1}, 0) == ErrorCode::kInvalidArgument);
  CHECK(refused({1, 1}, 3) == ErrorCode::kInvalidArgument);
  CHECK(refused({1, 0}, 1) == ErrorCode::kInvalidArgument);
  // (2^20 - 1)^3 < 2^62 <= (2^20 - 1)^4. C(64, 32) is about 1.8e18, below 2^62. C(66, 33) is about 7.2e18, above 2^62.
  CHECK(CharacterIndex::create(masks_of({20, 20, 20, 20}), 3));
  CHECK(refused(masks_of({20, 20, 20, 20}), 4) == ErrorCode::kLimitExceeded);
  CHECK(CharacterIndex::create(std::vector<std::uint32_t>(64, 1), 64));
  CHECK(refused(std::vector<std::uint32_t>(66, 1), 66) == ErrorCode::kLimitExceeded);
  CHECK(refused(masks_of(std::vector<std::uint32_t>(4096, 20)), 4096) == ErrorCode::kLimitExceeded);
}

TEST_CASE("the bits of an attribute are as many as its value indices need") {
  for (std::uint32_t size = 2; size <= 70; ++size) {
    const Attribute attribute = Attribute::range("r", 5, 4 + std::int64_t{size}).value();
    const std::uint32_t bits = bits_of(attribute);
    CHECK(size <= 1U << bits);
    CHECK(size > 1U << (bits - 1));
  }
  CHECK(bits_of(Attribute::boolean("b").value()) == 1);
  CHECK(bits_of(Attribute::range("r", 0, Attribute::kMaxSize - 1).value()) == 20);
}

TEST_CASE("the parity is that of the number of common bits of mask and value") {
  const std::vector<std::uint32_t> values{0b1011, 0, 0xFFFFF, 0x54321};
  for (std::uint32_t mask = 1; mask < 1U << 20U; mask = mask * 3 + 1) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t other = (i + 1) % 4;
      const Character one{{i, mask}};
      CHECK(parity(one, values) == static_cast<std::uint32_t>(std::popcount(mask & values[i])) % 2);
      const Character two{{i, mask}, {other, 5}};
      const int common = std::popcount(mask & values[i]) + std::popcount(5U & values[other]);
      CHECK(parity(two, values) == static_cast<std::uint32_t>(common) % 2);
    }
  }
  CHECK(parity({}, values) == 0);
}

}  // namespace
}  // namespace hearsay
