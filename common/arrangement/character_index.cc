#include "common/arrangement/character_index.h"

#include <algorithm>
#include <bit>
#include <string>

#include "common/base/int128.h"

namespace hearsay {

// The exclusive or of the masked values has the parity of all their bits together.
std::uint32_t parity(std::span<const Factor> factors, std::span<const std::uint32_t> values) {
  std::uint32_t bits = 0;
  for (const auto& [attribute, mask] : factors) bits ^= values[attribute] & mask;
  return parity(bits);
}

std::uint32_t bits_of(const Attribute& attribute) {
  return static_cast<std::uint32_t>(std::bit_width(attribute.size() - 1));
}

Result<CharacterIndex> CharacterIndex::create(std::vector<std::uint32_t> masks, std::uint32_t max_attributes) {
  if (std::find(masks.begin(), masks.end(), 0) != masks.end()) {
    return Error{ErrorCode::kInvalidArgument, "an attribute must have at least 1 mask"};
  }
  if (max_attributes < 1 || max_attributes > masks.size()) {
    return Error{ErrorCode::kInvalidArgument, "the order of the characters must be from 1 to the schema's " +
                                                  std::to_string(masks.size()) + " attributes"};
  }
  CharacterIndex index;
  index.masks_ = std::move(masks);
  index.max_attributes_ = max_attributes;
  index.below_.emplace_back(index.attributes() + 1, 1);
  // A character on l of the first i+1 attributes either leaves attribute i out, or joins a mask of attribute i to a
  // character on l-1 of the first i attributes.
  for (std::uint32_t l = 1; l <= max_attributes; ++l) {
    const std::vector<std::uint64_t>& fewer = index.below_.back();
    std::vector<std::uint64_t> row(index.attributes() + 1, 0);
    for (std::size_t i = 0; i < index.attributes(); ++i) {
      const Uint128 count = row[i] + Uint128{index.masks(i)} * fewer[i];
      if (count > kMaxCount) {
        return Error{ErrorCode::kLimitExceeded,
                     "the characters that combine " + std::to_string(l) +
                         " attributes are more than 2^62: allow fewer attributes together, or fewer values of each"};
      }
      row[i + 1] = static_cast<std::uint64_t>(count);
    }
    index.below_.push_back(std::move(row));
  }
  return index;
}

std::uint64_t CharacterIndex::rank(std::span<const Factor> factors) const {
  std::uint64_t rank = 0;
  for (std::size_t l = 1; l <= factors.size(); ++l) {
    const auto& [attribute, mask] = factors[l - 1];
    rank = below_[l][attribute] + masks(attribute) * rank + (mask - 1);
  }
  return rank;
}

// The largest attribute of a character on l attributes is the last i with below_[l][i] <= rank. The counts below_[l][i]
// are 0 up to i = l-1, and increase strictly from there.
void CharacterIndex::unrank(std::uint64_t rank, std::span<Factor> factors) const {
  for (std::size_t l = factors.size(); l > 0; --l) {
    const std::vector<std::uint64_t>& row = below_[l];
    const auto i = static_cast<std::size_t>(std::upper_bound(row.begin(), row.end(), rank) - row.begin()) - 1;
    rank -= row[i];
    factors[l - 1] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(rank % masks(i)) + 1};
    rank /= masks(i);
  }
}

CharacterIndex::Ranks CharacterIndex::ranks_on(std::span<const std::uint32_t> attributes) const {
  Ranks ranks{0, 1};
  for (std::size_t l = 1; l <= attributes.size(); ++l) {
    const std::uint32_t attribute = attributes[l - 1];
    ranks.first = below_[l][attribute] + masks(attribute) * ranks.first;
    ranks.size *= masks(attribute);
  }
  return ranks;
}

}  // namespace hearsay
