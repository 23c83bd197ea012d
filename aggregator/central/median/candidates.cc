#include "aggregator/central/median/candidates.h"

#include <algorithm>

#include "aggregator/central/synthetic/multisets.h"
#include "common/base/try.h"

namespace hearsay::central {

Result<Candidates> Candidates::create(std::size_t domain, std::uint32_t size) {
  HEARSAY_TRY(const Multisets multisets, Multisets::create(domain, size));
  const std::uint64_t count = multisets.count();
  if (count > kMost || count > kMostCounts / domain) {
    return Error{ErrorCode::kDomainTooLarge,
                 "there are more than 2^20 sparse databases, or more than 2^24 counts in them"};
  }
  std::vector<std::uint32_t> counts;
  counts.reserve(count * domain);
  Counts next = multisets.at(0);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) Multisets::advance(next);
    counts.insert(counts.end(), next.begin(), next.end());
  }
  return Candidates(domain, std::move(counts));
}

std::int64_t Candidates::value(std::size_t candidate, Weights weights) const {
  std::int64_t sum = 0;
  for (std::size_t x = 0; x < domain_; ++x) sum += std::int64_t{weights[x]} * counts_[candidate * domain_ + x];
  return sum;
}

std::int64_t Candidates::median(Weights weights) const {
  std::vector<std::int64_t> values(count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i, weights);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

void Candidates::keep_within(Weights weights, std::int64_t low, std::int64_t high) {
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < count(); ++i) {
    const std::int64_t at = value(i, weights);
    if (at < low || at > high) continue;
    const auto first = counts_.begin() + static_cast<std::ptrdiff_t>(i * domain_);
    kept.insert(kept.end(), first, first + static_cast<std::ptrdiff_t>(domain_));
  }
  if (!kept.empty()) counts_ = std::move(kept);
}

}  // namespace hearsay::central
