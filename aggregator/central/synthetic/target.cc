#include "aggregator/central/synthetic/target.h"

#include <algorithm>
#include <cstdlib>

#include "common/base/int128.h"

namespace hearsay::central {

Result<Target> Target::create(const QueryClass& queries, std::uint32_t size, std::span<const std::uint64_t> histogram) {
  if (histogram.size() != queries.domain()) {
    return Error{ErrorCode::kInvalidArgument, "the histogram needs one count for each element of the domain"};
  }
  constexpr Uint128 kLargest = Uint128{1} << 61U;
  Uint128 total = 0;
  for (const std::uint64_t count : histogram) total += count;
  if (total > kLargest || total * size > kLargest / queries.unit()) {
    return Error{ErrorCode::kOverflow,
                 "the number of records, times the synthetic size, times the unit of the weights exceeds 2^61"};
  }
  std::vector<std::int64_t> scaled(queries.size(), 0);
  for (std::size_t x = 0; x < histogram.size(); ++x) {
    const auto factor = static_cast<std::int64_t>(histogram[x] * size);
    const std::span<const std::uint32_t> weights = queries.weights_of(x);
    for (std::size_t q = 0; q < scaled.size(); ++q) scaled[q] += factor * weights[q];
  }
  return Target(queries, static_cast<std::int64_t>(total), std::move(scaled));
}

std::vector<std::int64_t> Target::answers(std::span<const std::uint32_t> counts) const {
  std::vector<std::int64_t> sums(queries_->size(), 0);
  for (std::size_t x = 0; x < counts.size(); ++x) {
    if (counts[x] == 0) continue;
    const std::span<const std::uint32_t> weights = queries_->weights_of(x);
    for (std::size_t q = 0; q < sums.size(); ++q) sums[q] += std::int64_t{counts[x]} * weights[q];
  }
  return sums;
}

void Target::replace(std::vector<std::int64_t>& answers, std::size_t from, std::size_t to) const {
  const std::span<const std::uint32_t> lost = queries_->weights_of(from);
  const std::span<const std::uint32_t> gained = queries_->weights_of(to);
  for (std::size_t q = 0; q < answers.size(); ++q) answers[q] += std::int64_t{gained[q]} - std::int64_t{lost[q]};
}

// Every term is at most n·m·unit <= 2^61 in absolute value.
std::int64_t Target::score(std::span<const std::int64_t> answers) const {
  std::int64_t worst = 0;
  for (std::size_t q = 0; q < answers.size(); ++q) worst = std::max(worst, std::abs(scaled_[q] - total_ * answers[q]));
  return -worst;
}

}  // namespace hearsay::central
