#include "aggregator/central/laplace/histogram.h"

#include "common/base/try.h"

namespace hearsay::central {

Result<Histogram> Histogram::create(const Epsilon& epsilon, std::size_t bins, Neighbours neighbours) {
  if (bins == 0) return Error{ErrorCode::kInvalidArgument, "a histogram needs at least one bin"};
  const Rational sensitivity = whole(neighbours == Neighbours::kReplaceOne ? 2 : 1);
  HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(epsilon, sensitivity, neighbours));
  return Histogram(laplace, bins);
}

std::vector<std::int64_t> Histogram::statistic(std::span<const std::uint32_t> rows) const {
  std::vector<std::int64_t> counts(bins_);
  for (const std::uint32_t bin : rows) {
    if (bin < bins_) ++counts[bin];
  }
  return counts;
}

std::vector<std::int64_t> Histogram::release(std::span<const std::uint32_t> rows, BitSource& bits) const {
  return laplace_.release(statistic(rows), bits);
}

Result<std::uint64_t> Histogram::users(double alpha, double beta) const {
  HEARSAY_TRY(const std::uint64_t bound, error_bound(beta));
  return people_for(bound, alpha);
}

}  // namespace hearsay::central
