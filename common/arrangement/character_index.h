// Numbers the products of bits of several attributes, called characters, so that no code needs to list them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay {

// One attribute's part of a character: the parity of the value's bits in `mask`, which is not 0.
struct Factor {
  std::uint32_t attribute;
  std::uint32_t mask;
  bool operator==(const Factor&) const = default;
};

// Returns 1 if an odd number of the bits is set, else 0. Takes constant time. (std::popcount may read a table on a
// machine without a popcount instruction, at addresses that depend on the record.)
inline std::uint32_t parity(std::uint32_t bits) {
  bits ^= bits >> 16U;
  bits ^= bits >> 8U;
  bits ^= bits >> 4U;
  bits ^= bits >> 2U;
  bits ^= bits >> 1U;
  return bits & 1U;
}

// Returns the sign of the character χ(x) = Π over the factors of (-1)^popcount(mask & value index): 0 for +1, 1 for -1.
// `values` has the value index of every attribute. Takes the same time for all values.
std::uint32_t parity(std::span<const Factor> factors, std::span<const std::uint32_t> values);

// Returns how many bits hold the attribute's value indices: ⌈log2 size⌉, 1 to 20.
std::uint32_t bits_of(const Attribute& attribute);

// Numbers the characters on exactly l attributes from 0 to count(l)-1, for every l from 1 to max_attributes. Attribute
// i has s_i masks, numbered from 1. If i is the largest attribute of the character,
//   rank = e_l(s_0, …, s_{i-1}) + s_i·rank(the other factors) + (mask_i - 1),
// where e_l is the elementary symmetric polynomial of degree l. A character without factors has the rank 0. So the
// characters on one set of attributes have consecutive ranks. If every attribute has one mask, the ranks number the
// sets of attributes (the combinatorial number system). If a rank is drawn uniformly, the probability of a set of
// attributes is in proportion to the product of the s_i of its attributes.
class CharacterIndex {
 public:
  // The largest count that create() accepts.
  static constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 62U;

  // `masks` has s_i for each attribute, 1 to 2^32 - 1. 1 <= max_attributes <= number of attributes. Errors:
  // kInvalidArgument; kLimitExceeded if a count would exceed kMaxCount. Cost: in proportion to max_attributes times the
  // number of attributes.
  static Result<CharacterIndex> create(std::vector<std::uint32_t> masks, std::uint32_t max_attributes);

  std::size_t attributes() const { return masks_.size(); }
  // Returns s_i.
  std::uint64_t masks(std::size_t attribute) const { return masks_[attribute]; }
  std::uint32_t max_attributes() const { return max_attributes_; }
  // Returns the number of characters on exactly l of the first i attributes: e_l(s_0, …, s_{i-1}). l <= max_attributes,
  // i <= attributes().
  std::uint64_t count_below(std::uint32_t l, std::size_t i) const { return below_[l][i]; }
  // Returns the number of characters on exactly l of all attributes.
  std::uint64_t count(std::uint32_t l) const { return below_[l].back(); }

  // Returns the rank of a character. `factors` ascend by attribute; there are 1 to max_attributes of them.
  std::uint64_t rank(std::span<const Factor> factors) const;
  // Writes the factors of the character with this rank on l = factors.size() attributes, by ascending attribute. rank <
  // count(l).
  void unrank(std::uint64_t rank, std::span<Factor> factors) const;

  // The ranks [first, first + size) of the characters on exactly these attributes (ascending).
  struct Ranks {
    std::uint64_t first;
    std::uint64_t size;  // Π s_i
  };
  Ranks ranks_on(std::span<const std::uint32_t> attributes) const;

 private:
  CharacterIndex() = default;
  std::vector<std::uint32_t> masks_;
  std::uint32_t max_attributes_ = 0;
  std::vector<std::vector<std::uint64_t>> below_;  // [l][i] = count_below(l, i)
};

}  // namespace hearsay
