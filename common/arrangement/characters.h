// The arrangement `characters` of order w: one ±1 coordinate for each product of bits of at most w attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/arrangement/character_index.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay {

// a: X -> {-1,+1}^d. Attribute i's value index is written with b_i = ⌈log2 J_i⌉ bits. The coordinates are the
// characters on 1 to w attributes, d = Σ_{1<=|S|<=w} Π_{i∈S} (2^{b_i} - 1). Coordinates on fewer attributes come first.
// Coordinates on equally many attributes stand in the order of CharacterIndex.
class Characters {
 public:
  static constexpr std::uint64_t kMaxDimension = (std::uint64_t{1} << 32U) - 1;

  // Errors: kInvalidArgument unless 1 <= order <= number of attributes; kLimitExceeded if d would exceed kMaxDimension.
  static Result<Characters> create(const Schema& schema, std::uint32_t order);

  std::uint32_t order() const { return index_.max_attributes(); }
  std::size_t dimension() const { return dimension_; }
  // Returns J_i.
  std::uint32_t values(std::size_t attribute) const { return values_[attribute]; }
  // Returns b_i.
  std::uint32_t bits(std::size_t attribute) const { return bits_[attribute]; }
  // Returns the index that numbers the coordinates on exactly l attributes, for each l from 1 to w.
  const CharacterIndex& index() const { return index_; }

  // Returns the index of the coordinate with these factors. `factors` ascend by attribute; there are at most order() of
  // them.
  std::uint32_t coordinate(std::span<const Factor> factors) const;
  // Returns the factors of a coordinate.
  std::vector<Factor> factors(std::uint32_t coordinate) const;
  // Returns the attributes of a coordinate, ascending.
  std::vector<std::uint32_t> attributes(std::uint32_t coordinate) const;
  // Returns the numbers [first, first + size) of the coordinates on exactly these attributes. `attributes` ascend;
  // there are 1 to order() of them. The masks count up like digits: each mask begins at 1, and the last attribute's
  // mask changes fastest.
  CharacterIndex::Ranks coordinates_on(std::span<const std::uint32_t> attributes) const;

  // Writes a(x). `out` has dimension() elements.
  void encode(const Record& record, std::span<std::int8_t> out) const;

  // Returns the exact L1 sensitivity Δ = max ‖a(x) - a(x')‖₁. The distance depends only on which attributes differ
  // between x and x'. The distance is d - Σ_{j=1..w} e_j(s), with e_j the elementary symmetric polynomials. Here s_i =
  // 2^{b_i} - 1 if attribute i is equal in both, and -1 if it differs. For each number of bits, the function tries
  // every number of differing attributes among the attributes with so many bits. Errors: kLimitExceeded (more than 2^24
  // cases).
  Result<std::uint64_t> sensitivity() const;

 private:
  Characters(std::vector<std::uint32_t> values, std::vector<std::uint32_t> bits, CharacterIndex index);
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> bits_;
  CharacterIndex index_;
  std::vector<std::uint64_t> first_;  // first_[l]: number of coordinates on fewer than l attributes
  std::size_t dimension_ = 0;
};

}  // namespace hearsay
