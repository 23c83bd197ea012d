// Estimates from the channel `laplace`, on any arrangement.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/estimator/estimate.h"
#include "common/channel/laplace.h"

namespace hearsay::estimator {

// The tally's n >= 1, and Σy for each coordinate of the channel.
struct LaplaceSums {
  std::uint64_t reports;
  std::span<const std::int64_t> sum;
  double mean(std::size_t j) const { return static_cast<double>(sum[j]) / static_cast<double>(reports); }
};

// See Estimator::estimate(). Errors: kInvalidArgument (a query of another task; confidence).
Result<Estimate> laplace_estimate(const LaplaceChannel& channel, const LaplaceSums& sums,
                                  const compiler::LinearQuery& query, double confidence);

// Returns the means of the coordinates [first, first + size).
CoordinateMeans laplace_means(const LaplaceChannel& channel, const LaplaceSums& sums, std::size_t first,
                              std::size_t size);

}  // namespace hearsay::estimator
