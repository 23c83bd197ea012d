// Symbols: w = order, d = dimension, s_i = 2^b_i - 1 where attribute i is unchanged and -1 where it changes, e_j = the
// elementary symmetric polynomials.
//
// ‖a(x) - a(x')‖₁ = Σ (1 - χ(x)χ(x')) over the characters χ. Sum χ(x)χ(x') over the masks of attribute i. If the
// attribute is unchanged, the sum is the number of masks, s_i. Otherwise the sum is -1: with mask 0, which adds 1, the
// sum would be 0. A character on j attributes is a product of j characters on one attribute each, so the sum over all
// characters on j attributes is e_j(s).

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "common/arrangement/characters.h"

namespace hearsay {
namespace {

// Π (1 + s_i·z) = Σ_j e_j(s)·z^j, up to z^w. Coefficients are largest in absolute value if no attribute changes; then
// they add up to at most d + 1.
using Polynomial = std::vector<std::int64_t>;

Polynomial product(const Polynomial& p, const Polynomial& q) {
  Polynomial result(p.size(), 0);
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; i + j < p.size(); ++j) result[i + j] += p[i] * q[j];
  }
  return result;
}

// Returns (1 + s·z)^n, up to z^order, for every n from 0 to `largest`.
std::vector<Polynomial> powers(std::int64_t s, std::uint32_t largest, std::uint32_t order) {
  std::vector<Polynomial> powers(1, Polynomial(order + 1, 0));
  powers.front().front() = 1;
  for (std::uint32_t n = 0; n < largest; ++n) {
    Polynomial next = powers.back();
    for (std::size_t j = next.size(); j-- > 1;) next[j] += s * next[j - 1];
    powers.push_back(std::move(next));
  }
  return powers;
}

// Takes `attributes` attributes with s masks each. Returns Π (1 + s_i·z) over these attributes, for each number of
// changing attributes from 0 to `attributes`.
std::vector<Polynomial> by_changes(std::int64_t s, std::uint32_t attributes, std::uint32_t order) {
  const std::vector<Polynomial> unchanged = powers(s, attributes, order);
  const std::vector<Polynomial> changed = powers(-1, attributes, order);
  std::vector<Polynomial> result;
  for (std::uint32_t c = 0; c <= attributes; ++c) result.push_back(product(unchanged[attributes - c], changed[c]));
  return result;
}

// Takes one polynomial from each list and multiplies all of them with `chosen`. Returns the least sum of the product's
// coefficients of z, …, z^w, over all choices of the polynomials.
std::int64_t least_sum(std::span<const std::vector<Polynomial>> choices, const Polynomial& chosen) {
  if (choices.empty()) return std::accumulate(chosen.begin() + 1, chosen.end(), std::int64_t{0});
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Polynomial& p : choices.front()) {
    least = std::min(least, least_sum(choices.subspan(1), product(chosen, p)));
  }
  return least;
}

}  // namespace

Result<std::uint64_t> Characters::sensitivity() const {
  // At order 1, the distance is Σ 2^b_i over the attributes that change, so it is largest if all change.
  if (order() == 1) return dimension_ + index_.attributes();
  constexpr std::uint64_t kMaxCases = std::uint64_t{1} << 24U;
  std::map<std::uint64_t, std::uint32_t> attributes;
  for (std::size_t i = 0; i < index_.attributes(); ++i) ++attributes[index_.masks(i)];
  std::uint64_t cases = 1;
  for (const auto& [masks, number] : attributes) {
    cases *= number + std::uint64_t{1};
    if (cases > kMaxCases) {
      return Error{ErrorCode::kLimitExceeded,
                   "the exact sensitivity takes more than 2^24 cases to compute: give more attributes the same number "
                   "of values"};
    }
  }
  std::vector<std::vector<Polynomial>> choices;
  for (const auto& [masks, number] : attributes) {
    choices.push_back(by_changes(static_cast<std::int64_t>(masks), number, order()));
  }
  const Polynomial one = powers(0, 0, order()).front();
  return dimension_ - static_cast<std::uint64_t>(least_sum(choices, one));
}

}  // namespace hearsay
