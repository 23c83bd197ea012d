// Estimates from the channel `laplace`, on any arrangement.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/estimator/estimate.h"
#include "common/channel/laplace.h"

namespace hearsay::estimator {

// The number of reports, at least 1, and for each coordinate of the channel the sum of the noisy values.
struct LaplaceSums {
  std::uint64_t reports;
  std::span<const std::int64_t> sum;
  double mean(std::size_t j) const { return static_cast<double>(sum[j]) / static_cast<double>(reports); }
};

// Answers a query; see Estimator::estimate(). Errors: kInvalidArgument (a query of another task; confidence).
Result<Estimate> laplace_estimate(const LaplaceChannel& channel, const LaplaceSums& sums,
                                  const compiler::LinearQuery& query, double confidence);

// Estimates the means of the coordinates first, …, first + size - 1.
CoordinateMeans laplace_means(const LaplaceChannel& channel, const LaplaceSums& sums, std::size_t first,
                              std::size_t size);

}  // namespace hearsay::estimator
