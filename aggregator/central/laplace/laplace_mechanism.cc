#include "aggregator/central/laplace/laplace_mechanism.h"

#include <cmath>

#include "common/base/try.h"

namespace hearsay::central {

Result<LaplaceMechanism> LaplaceMechanism::create(const Epsilon& epsilon, const Rational& sensitivity,
                                                  Neighbours neighbours) {
  HEARSAY_TRY(const DiscreteLaplace noise, calibrated_noise(sensitivity, exact(epsilon)));
  return LaplaceMechanism(epsilon, sensitivity, neighbours, noise);
}

std::int64_t LaplaceMechanism::release(std::int64_t statistic, BitSource& bits) const {
  return with_noise(statistic, noise_, bits);
}

std::vector<std::int64_t> LaplaceMechanism::release(std::span<const std::int64_t> statistic, BitSource& bits) const {
  std::vector<std::int64_t> released;
  released.reserve(statistic.size());
  for (const std::int64_t coordinate : statistic) released.push_back(release(coordinate, bits));
  return released;
}

double LaplaceMechanism::standard_deviation() const { return std::sqrt(noise_.variance()); }

// With probability (1 - Pr[|Y| > m])^coordinates the noise of every coordinate is at most m in magnitude.
Result<std::uint64_t> LaplaceMechanism::error_bound(std::size_t coordinates, double beta) const {
  if (!(beta > 0 && beta < 1)) return Error{ErrorCode::kInvalidArgument, "beta must lie strictly in (0, 1)"};
  if (coordinates == 0) return Error{ErrorCode::kInvalidArgument, "an error bound needs at least one coordinate"};
  const double each = -std::expm1(std::log1p(-beta) / static_cast<double>(coordinates));
  return static_cast<std::uint64_t>(largest_noise(noise_, std::log(each)));
}

Result<std::uint64_t> people_for(std::uint64_t bound, double alpha) {
  if (!(alpha > 0 && alpha < 1)) return Error{ErrorCode::kInvalidArgument, "alpha must lie strictly in (0, 1)"};
  return record_count(static_cast<double>(bound) / alpha);
}

}  // namespace hearsay::central
