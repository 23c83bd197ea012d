// The arrangement `characters` of order w: one ±1 coordinate per product of bits of at most w attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/arrangement/character_index.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay {

// a: X -> {-1,+1}^d. Attribute i's value index is written with b_i = ⌈log2 J_i⌉ bits; the coordinates are the
// characters on 1 to w attributes, d = Σ_{1<=|S|<=w} Π_{i∈S} (2^{b_i} - 1). Coordinates on fewer attributes come first,
// then in the order of CharacterIndex. They are addressed by rank and unrank and never listed.
class Characters {
 public:
  static constexpr std::uint64_t kMaxDimension = (std::uint64_t{1} << 32U) - 1;

  // Errors: kInvalidArgument unless 1 <= order <= number of attributes; kLimitExceeded if d would exceed kMaxDimension.
  static Result<Characters> create(const Schema& schema, std::uint32_t order);

  std::uint32_t order() const { return index_.max_attributes(); }
  std::size_t dimension() const { return dimension_; }
  // J_i.
  std::uint32_t values(std::size_t attribute) const { return values_[attribute]; }
  // b_i.
  std::uint32_t bits(std::size_t attribute) const { return bits_[attribute]; }
  // Ranks within one number of attributes.
  const CharacterIndex& index() const { return index_; }

  // Number of a coordinate: the factors by ascending attribute, at most order() of them.
  std::uint32_t coordinate(std::span<const Factor> factors) const;
  // Its factors.
  std::vector<Factor> factors(std::uint32_t coordinate) const;
  // Their attributes, ascending.
  std::vector<std::uint32_t> attributes(std::uint32_t coordinate) const;
  // The coordinates on exactly these attributes (ascending, 1 to order() of them) are [first, first + size). Their
  // masks run like a number of several digits, the last attribute's mask fastest, each from 1.
  CharacterIndex::Ranks coordinates_on(std::span<const std::uint32_t> attributes) const;

  // Writes a(x). `out` has dimension() elements.
  void encode(const Record& record, std::span<std::int8_t> out) const;

  // The exact L1 sensitivity Δ = max ‖a(x) - a(x')‖₁. The distance depends only on which attributes change:
  // d - Σ_{j=1..w} e_j(s), s_i = 2^{b_i} - 1 where attribute i is unchanged and -1 where it is changed. Searches over
  // how many attributes of each b change. Errors: kLimitExceeded if these are more than 2^24 cases.
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
