// Symbols: k = the rank that the score aims at, β = the number of values.

#include "aggregator/central/extremes/ranked_extreme.h"

#include <algorithm>
#include <cmath>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {

// The k-th largest row has score 0. Permute-and-flip keeps a value of score -k or less with probability at most
// exp(-εk/2). There are at most β - 1 such values. So the mechanism takes such a value with probability at most
// (β-1)·exp(-εk/2) <= delta. A value v beyond every row has from(v) = 0, so its score is -k or less. A value of score
// above -k has above(v) - (k - 1) <= k - 1.
Result<RankedExtreme> RankedExtreme::create(Extreme extreme, const Epsilon& epsilon, Neighbours neighbours,
                                            std::uint32_t values, double delta) {
  if (values == 0) return Error{ErrorCode::kInvalidArgument, "the domain must have at least one value"};
  if (values > kMostValues) return Error{ErrorCode::kDomainTooLarge, "the domain has at most 2^20 values"};
  if (!(delta > 0 && delta < 1)) return Error{ErrorCode::kInvalidArgument, "delta must lie strictly in (0, 1)"};
  double rank = 1;
  if (values > 1) rank = 2 / epsilon.approximate() * (std::log(values - 1) - std::log(delta));
  HEARSAY_TRY(const std::uint64_t k, record_count(rank));
  HEARSAY_TRY(const GapDecay decay, GapDecay::create(exact(epsilon), whole(1), ScoreMovement::kEitherWay));
  return RankedExtreme(extreme, neighbours, values, k, PermuteAndFlip(decay));
}

Result<std::vector<std::int64_t>> RankedExtreme::scores(std::span<const std::uint32_t> rows) const {
  if (rows.empty() && neighbours_ == Neighbours::kReplaceOne) {
    return Error{ErrorCode::kInvalidArgument, "there must be at least one row"};
  }
  std::vector<std::int64_t> counts(values_);
  for (const std::uint32_t row : rows) ++counts[std::min(row, values_ - 1)];
  if (extreme_ == Extreme::kMinimum) std::ranges::reverse(counts);
  const auto k = static_cast<std::int64_t>(rank_);
  std::vector<std::int64_t> scores(values_);
  std::int64_t above = 0;
  for (std::size_t v = values_; v > 0; --v) {
    const std::int64_t from = above + counts[v - 1];
    scores[v - 1] = -std::max({std::int64_t{0}, above - (k - 1), k - from});
    above = from;
  }
  if (extreme_ == Extreme::kMinimum) std::ranges::reverse(scores);
  return scores;
}

Result<std::uint32_t> RankedExtreme::release(std::span<const std::uint32_t> rows, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<std::int64_t> all, scores(rows));
  HEARSAY_TRY(const std::size_t value, selection_.release(all, bits));
  return static_cast<std::uint32_t>(value);
}

}  // namespace hearsay::central
