#include "aggregator/central/laplace/binary_grid.h"

#include <algorithm>
#include <cmath>

namespace hearsay::central {
namespace {

constexpr int kLargestLog2 = 60;

// Returns value·2^-log2_step, clamped to ±kLargest. NaN gives 0. The product is exact if its absolute value is at least
// 1/4.
double in_steps(double value, int log2_step) {
  constexpr auto kLargest = static_cast<double>(BinaryGrid::kLargest);
  if (std::isnan(value)) return 0;
  return std::clamp(std::ldexp(value, -log2_step), -kLargest, kLargest);
}

}  // namespace

Result<BinaryGrid> BinaryGrid::create(int log2_step) {
  if (log2_step < -kLargestLog2 || log2_step > kLargestLog2) {
    return Error{ErrorCode::kInvalidArgument, "a grid's step must be from 2^-60 to 2^60"};
  }
  return BinaryGrid(log2_step);
}

// floor(x + 0.5) would be wrong, since the sum is rounded: the double just below 1/2 would become 1. x - floor(x) is
// exact for x >= 0 and for x <= -1/2. For x between -1/2 and 0, the rounded difference is at least 1/2.
std::int64_t BinaryGrid::nearest(double value) const {
  const double steps = in_steps(value, log2_step_);
  const double below = std::floor(steps);
  return static_cast<std::int64_t>(below) + (steps - below >= 0.5 ? 1 : 0);
}

std::int64_t BinaryGrid::towards_zero(double value) const {
  return static_cast<std::int64_t>(in_steps(value, log2_step_));
}

double BinaryGrid::step() const { return std::ldexp(1.0, log2_step_); }
double BinaryGrid::value(std::int64_t steps) const { return std::ldexp(static_cast<double>(steps), log2_step_); }

}  // namespace hearsay::central
