#include "common/arrangement/literals.h"

#include <algorithm>
#include <string>

namespace hearsay {
namespace {

// The sensitivity of the block is 2 for a boolean, since one sign flips. For a categorical attribute the sensitivity is
// 4, since one indicator falls by 2 and another rises by 2. In a range of J values, values at distance s differ in s
// thermometer coordinates, and s is at most J-1.
AttributeBlock block_of(const Attribute& attribute, std::size_t offset) {
  const std::size_t values = attribute.size();
  switch (attribute.kind()) {
    case AttributeKind::kBoolean:
      return {offset, 1, 2};
    case AttributeKind::kCategorical:
      return {offset, values, 4};
    case AttributeKind::kRange:
      break;
  }
  return {offset, values - 1, 2 * (std::uint64_t{values} - 1)};
}

std::int8_t sign(bool positive) { return positive ? 1 : -1; }

}  // namespace

Result<Literals> Literals::create(const Schema& schema) {
  Literals literals;
  for (const Attribute& attribute : schema.attributes()) {
    const AttributeBlock block = block_of(attribute, literals.dimension_);
    literals.blocks_.push_back(block);
    literals.kinds_.push_back(attribute.kind());
    literals.dimension_ += block.size;
    literals.sensitivity_ += block.sensitivity;
  }
  if (literals.dimension_ > kMaxDimension) {
    return Error{ErrorCode::kLimitExceeded, "the schema has " + std::to_string(literals.dimension_) +
                                                " literals; at most " + std::to_string(kMaxDimension) +
                                                " are allowed: take fewer attributes, or fewer values of each"};
  }
  return literals;
}

void Literals::encode(const Record& record, std::span<std::int8_t> out) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    encode_attribute(b, record[b], out.subspan(blocks_[b].offset, blocks_[b].size));
  }
}

void Literals::encode_attribute(std::size_t attribute, std::uint32_t value, std::span<std::int8_t> block) const {
  switch (kinds_[attribute]) {
    case AttributeKind::kBoolean:
      block[0] = sign(value == 1);
      return;
    case AttributeKind::kCategorical:
      for (std::size_t j = 0; j < block.size(); ++j) block[j] = sign(value == j);
      return;
    case AttributeKind::kRange:
      for (std::size_t t = 0; t < block.size(); ++t) block[t] = sign(value > t);
      return;
  }
}

// Compares 32-bit values without a branch: the top bit of their difference in 64 bits is the borrow.
std::uint32_t Literals::is_negative(std::size_t coordinate, const Record& record) const {
  const auto beyond = std::upper_bound(blocks_.begin(), blocks_.end(), coordinate,
                                       [](std::size_t j, const AttributeBlock& block) { return j < block.offset; });
  const auto attribute = static_cast<std::size_t>(beyond - blocks_.begin()) - 1;
  const std::uint64_t literal = coordinate - blocks_[attribute].offset;
  const std::uint64_t value = record[attribute];
  if (kinds_[attribute] == AttributeKind::kCategorical) {
    return static_cast<std::uint32_t>((std::uint64_t{0} - (value ^ literal)) >> 63U);
  }
  // A boolean attribute counts as a range of two values.
  return static_cast<std::uint32_t>((value - (literal + 1)) >> 63U);
}

}  // namespace hearsay
