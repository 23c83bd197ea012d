#include "aggregator/central/exponential/permute_and_flip.h"

#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {
namespace {

// Σ_{k=0}^{N-1} of the mean product over k-subsets of all `fails` but that at `skipped`. Adding element number n to a
// set of n - 1: a k-subset contains it with probability k/n.
long double mean_subset_products(std::span<const long double> fails, std::size_t skipped) {
  std::vector<long double> mean{1};
  for (std::size_t i = 0; i < fails.size(); ++i) {
    if (i == skipped) continue;
    const auto n = static_cast<long double>(mean.size());
    mean.push_back(mean.back() * fails[i]);
    for (std::size_t k = mean.size() - 2; k > 0; --k) {
      const long double with = static_cast<long double>(k) / n;
      mean[k] = (1 - with) * mean[k] + with * fails[i] * mean[k - 1];
    }
  }
  return std::accumulate(mean.begin(), mean.end(), 0.0L);
}

}  // namespace

Result<std::size_t> PermuteAndFlip::release(std::span<const std::int64_t> scores, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<std::uint64_t> gaps, score_gaps(scores));
  std::vector<std::size_t> order(gaps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t place = 0;; ++place) {
    std::swap(order[place], order[place + uniform_below(bits, order.size() - place)]);
    if (decay_.keep(gaps[order[place]], bits)) return order[place];
  }
}

Result<std::vector<long double>> PermuteAndFlip::log_law(std::span<const std::int64_t> scores) const {
  HEARSAY_TRY(const std::vector<std::uint64_t> gaps, score_gaps(scores));
  if (gaps.size() > kLargestLaw) {
    return Error{ErrorCode::kDomainTooLarge, "the law of permute-and-flip is computed for at most 2048 candidates"};
  }
  std::vector<long double> fails;
  for (const std::uint64_t gap : gaps) fails.push_back(-std::expm1(-decay_.approximate_exponent(gap)));
  std::map<std::uint64_t, long double> known;
  std::vector<long double> logs;
  for (std::size_t c = 0; c < gaps.size(); ++c) {
    const auto [entry, is_new] = known.try_emplace(gaps[c], 0);
    if (is_new) {
      const long double chance = mean_subset_products(fails, c) / static_cast<long double>(gaps.size());
      entry->second = std::log(chance) - decay_.approximate_exponent(gaps[c]);
    }
    logs.push_back(entry->second);
  }
  return logs;
}

}  // namespace hearsay::central
