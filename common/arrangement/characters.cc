#include "common/arrangement/characters.h"

#include <algorithm>
#include <string>

#include "common/base/number_text.h"
#include "common/base/try.h"

namespace hearsay {
namespace {

Error too_many(std::uint32_t order) {
  return {ErrorCode::kLimitExceeded, "the schema has more than " + with_separators(Characters::kMaxDimension) +
                                         " characters of order " + std::to_string(order) +
                                         ": ask about fewer attributes together, or make their values coarser"};
}

// Returns (-1)^popcount(mask & value) for each mask from 1 to `masks`.
std::vector<std::int8_t> signs_of(std::uint32_t value, std::uint64_t masks) {
  std::vector<std::int8_t> signs(masks);
  for (std::uint32_t mask = 1; mask <= masks; ++mask) {
    const Factor factor{0, mask};
    signs[mask - 1] = static_cast<std::int8_t>(1 - 2 * static_cast<int>(parity({&factor, 1}, {&value, 1})));
  }
  return signs;
}

}  // namespace

Characters::Characters(std::vector<std::uint32_t> values, std::vector<std::uint32_t> bits, CharacterIndex index)
    : values_(std::move(values)), bits_(std::move(bits)), index_(std::move(index)), first_{0, 0} {
  for (std::uint32_t l = 1; l <= index_.max_attributes(); ++l) first_.push_back(first_[l] + index_.count(l));
  dimension_ = first_.back();
}

Result<Characters> Characters::create(const Schema& schema, std::uint32_t order) {
  if (order < 1 || order > schema.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 "the order must be from 1 to the number of attributes, " + std::to_string(schema.size())};
  }
  std::vector<std::uint32_t> values;
  std::vector<std::uint32_t> bits;
  std::vector<std::uint32_t> masks;
  for (const Attribute& attribute : schema.attributes()) {
    values.push_back(attribute.size());
    bits.push_back(bits_of(attribute));
    masks.push_back((std::uint32_t{1} << bits.back()) - 1);
  }
  auto index = CharacterIndex::create(std::move(masks), order);
  if (!index) return index.error().code == ErrorCode::kLimitExceeded ? too_many(order) : index.error();
  std::uint64_t dimension = 0;
  for (std::uint32_t l = 1; l <= order; ++l) {
    dimension += index->count(l);
    if (dimension > kMaxDimension) return too_many(order);
  }
  return Characters(std::move(values), std::move(bits), *std::move(index));
}

std::uint32_t Characters::coordinate(std::span<const Factor> factors) const {
  return static_cast<std::uint32_t>(first_[factors.size()] + index_.rank(factors));
}

std::vector<Factor> Characters::factors(std::uint32_t coordinate) const {
  const auto beyond = std::upper_bound(first_.begin() + 1, first_.end(), coordinate);
  const auto l = static_cast<std::size_t>(beyond - first_.begin()) - 1;
  std::vector<Factor> factors(l);
  index_.unrank(coordinate - first_[l], factors);
  return factors;
}

std::vector<std::uint32_t> Characters::attributes(std::uint32_t coordinate) const {
  std::vector<std::uint32_t> attributes;
  for (const Factor& factor : factors(coordinate)) attributes.push_back(factor.attribute);
  return attributes;
}

CharacterIndex::Ranks Characters::coordinates_on(std::span<const std::uint32_t> attributes) const {
  const CharacterIndex::Ranks ranks = index_.ranks_on(attributes);
  return {first_[attributes.size()] + ranks.first, ranks.size};
}

// Take the characters on l attributes with i as their largest attribute. In the order of their ranks, these characters
// are the characters on l-1 of the attributes before i, each multiplied by every mask of attribute i in turn.
void Characters::encode(const Record& record, std::span<std::int8_t> out) const {
  std::vector<std::vector<std::int8_t>> signs;
  for (std::size_t i = 0; i < index_.attributes(); ++i) signs.push_back(signs_of(record[i], index_.masks(i)));
  constexpr std::int8_t kEmptyProduct = 1;
  std::span<const std::int8_t> fewer(&kEmptyProduct, 1);
  auto next = out.begin();
  for (std::uint32_t l = 1; l <= order(); ++l) {
    for (std::size_t i = 0; i < signs.size(); ++i) {
      for (const std::int8_t rest : fewer.first(index_.count_below(l - 1, i))) {
        for (const std::int8_t sign : signs[i]) *next++ = static_cast<std::int8_t>(rest * sign);
      }
    }
    fewer = out.subspan(first_[l], index_.count(l));
  }
}

}  // namespace hearsay
