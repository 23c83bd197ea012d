#include "aggregator/central/laplace/real_laplace.h"

#include <algorithm>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

// Returns ⌈sensitivity/step⌉ + d - 1. Let S be the sensitivity and g the step. A coordinate that moves by D > 0 crosses
// at most ⌈D/g⌉ < D/g + 1 thresholds. All d together cross fewer than S/g + d, that is, at most ⌈S/g⌉ + d - 1.
Result<Rational> rounded_sensitivity(const Rational& sensitivity, std::size_t dimension, const BinaryGrid& grid) {
  const int log2_step = grid.log2_step();
  const std::uint64_t power = std::uint64_t{1} << static_cast<unsigned>(log2_step < 0 ? -log2_step : log2_step);
  HEARSAY_TRY(const Rational step, log2_step < 0 ? Rational::create(1, power) : whole(power));
  HEARSAY_TRY(const Rational steps, sensitivity.divided_by(step));
  const std::uint64_t most = steps.num() / steps.den() + (steps.num() % steps.den() != 0 ? 1 : 0);
  return whole(most).plus(whole(dimension - 1));
}

}  // namespace

Result<RealLaplace> RealLaplace::create(const Epsilon& epsilon, const Rational& sensitivity, std::size_t dimension,
                                        const BinaryGrid& grid, Neighbours neighbours) {
  if (sensitivity.num() == 0 || dimension == 0) {
    return Error{ErrorCode::kInvalidArgument, "the sensitivity and the dimension must be above 0"};
  }
  HEARSAY_TRY(const Rational steps, rounded_sensitivity(sensitivity, dimension, grid));
  HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(epsilon, steps, neighbours));
  return RealLaplace(laplace, dimension, grid);
}

std::vector<std::int64_t> RealLaplace::statistic(std::span<const double> value) const {
  std::vector<std::int64_t> steps(dimension_);
  for (std::size_t i = 0; i < std::min(dimension_, value.size()); ++i) steps[i] = grid_.nearest(value[i]);
  return steps;
}

std::vector<double> RealLaplace::release(std::span<const double> value, BitSource& bits) const {
  return values(grid_, laplace_.release(statistic(value), bits));
}

Result<double> RealLaplace::error_bound(double beta) const {
  HEARSAY_TRY(const std::uint64_t bound, laplace_.error_bound(dimension_, beta));
  return (static_cast<double>(bound) + 0.5) * grid_.step();
}

std::vector<double> values(const BinaryGrid& grid, std::span<const std::int64_t> steps) {
  std::vector<double> result;
  result.reserve(steps.size());
  for (const std::int64_t step : steps) result.push_back(grid.value(step));
  return result;
}

}  // namespace hearsay::central
