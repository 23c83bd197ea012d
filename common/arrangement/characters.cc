// Symbols: w = order, d = dimension, b_i = bits of attribute i, s_i = 2^b_i - 1, e_l = elementary symmetric polynomial.

#include "common/arrangement/characters.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "common/base/try.h"

namespace hearsay {
namespace {

Error too_many(std::uint32_t order) {
  return {ErrorCode::kLimitExceeded, "the schema has more than " + std::to_string(Characters::kMaxDimension) +
                                         " characters of order " + std::to_string(order)};
}

// ±1 for each mask from 1 on.
std::vector<std::int8_t> signs_of(std::uint32_t value, std::uint64_t masks) {
  std::vector<std::int8_t> signs(masks);
  for (std::uint32_t mask = 1; mask <= masks; ++mask) {
    const Factor factor{0, mask};
    signs[mask - 1] = static_cast<std::int8_t>(1 - 2 * static_cast<int>(parity({&factor, 1}, {&value, 1})));
  }
  return signs;
}

}  // namespace

Characters::Characters(CharacterIndex index) : index_(std::move(index)), first_{0, 0} {
  for (std::uint32_t l = 1; l <= index_.max_attributes(); ++l) first_.push_back(first_[l] + index_.count(l));
  dimension_ = first_.back();
}

Result<Characters> Characters::create(const Schema& schema, std::uint32_t order) {
  if (order < 1 || order > schema.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 "the order must be from 1 to the number of attributes, " + std::to_string(schema.size())};
  }
  std::vector<std::uint32_t> bits;
  for (const Attribute& attribute : schema.attributes()) bits.push_back(bits_of(attribute));
  auto index = CharacterIndex::create(std::move(bits), order);
  if (!index) return index.error().code == ErrorCode::kLimitExceeded ? too_many(order) : index.error();
  std::uint64_t dimension = 0;
  for (std::uint32_t l = 1; l <= order; ++l) {
    dimension += index->count(l);
    if (dimension > kMaxDimension) return too_many(order);
  }
  return Characters(*std::move(index));
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

CharacterIndex::Ranks Characters::coordinates_on(std::span<const std::uint32_t> attributes) const {
  const CharacterIndex::Ranks ranks = index_.ranks_on(attributes);
  return {first_[attributes.size()] + ranks.first, ranks.size};
}

// In the order of their ranks, the characters on l attributes of which i is the largest are those on l-1 of the
// attributes before i, each times the masks of attribute i.
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

namespace {

// The truncated polynomial Σ_j e_j(s)·z^j = Π (1 + s_i·z), up to z^w.
using Polynomial = std::vector<std::int64_t>;

void multiply(Polynomial& p, std::int64_t s) {
  for (std::size_t j = p.size(); j-- > 1;) p[j] += s * p[j - 1];
}

std::int64_t sum_of_positive_powers(const Polynomial& p) {
  std::int64_t sum = 0;
  for (std::size_t j = 1; j < p.size(); ++j) sum += p[j];
  return sum;
}

struct Bits {
  std::int64_t masks;
  std::uint32_t attributes;
};

// Least Σ_{j=1..w} e_j(s) over how many of the attributes of each number of bits change. No |e_j| exceeds that of the
// unchanged attributes, at most d.
std::int64_t least_sum(std::span<const Bits> kinds, const Polynomial& before) {
  if (kinds.empty()) return sum_of_positive_powers(before);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t changed = 0; changed <= kinds.front().attributes; ++changed) {
    Polynomial p = before;
    for (std::uint32_t i = 0; i < kinds.front().attributes; ++i) multiply(p, i < changed ? -1 : kinds.front().masks);
    least = std::min(least, least_sum(kinds.subspan(1), p));
  }
  return least;
}

}  // namespace

Result<std::uint64_t> Characters::sensitivity() const {
  // Every attribute that changes adds 2^b_i = s_i + 1.
  if (order() == 1) return dimension_ + index_.attributes();
  constexpr std::uint64_t kMaxCases = std::uint64_t{1} << 24U;
  std::map<std::uint64_t, std::uint32_t> attributes;
  for (std::size_t i = 0; i < index_.attributes(); ++i) ++attributes[index_.masks(i)];
  std::uint64_t cases = 1;
  std::vector<Bits> kinds;
  for (const auto& [masks, number] : attributes) {
    cases *= number + 1;
    if (cases > kMaxCases) {
      return Error{ErrorCode::kLimitExceeded,
                   "the exact sensitivity takes more than 2^24 cases: the attributes have too many different sizes"};
    }
    kinds.push_back({static_cast<std::int64_t>(masks), number});
  }
  Polynomial one(order() + 1, 0);
  one[0] = 1;
  return dimension_ - static_cast<std::uint64_t>(least_sum(kinds, one));
}

}  // namespace hearsay
