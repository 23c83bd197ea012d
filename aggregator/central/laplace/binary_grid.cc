#include "aggregator/central/laplace/binary_grid.h"

#include <cmath>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr int kLargestLog2 = 60;

// value·2^-log2_step, exactly where it is at least 1/4 in absolute value.
Result<double> in_steps(double value, int log2_step) {
  if (!std::isfinite(value)) return Error{ErrorCode::kInvalidArgument, "a value is not a finite number"};
  const double steps = std::ldexp(value, -log2_step);
  if (std::abs(steps) > static_cast<double>(BinaryGrid::kLargest)) {
    return Error{ErrorCode::kLimitExceeded, "a value exceeds 2^61 steps of the grid"};
  }
  return steps;
}

}  // namespace

Result<BinaryGrid> BinaryGrid::create(int log2_step) {
  if (log2_step < -kLargestLog2 || log2_step > kLargestLog2) {
    return Error{ErrorCode::kInvalidArgument, "a grid's step must be 2^-60 to 2^60"};
  }
  return BinaryGrid(log2_step);
}

// Not floor(x + 0.5), whose sum rounds: the double below 1/2 would become 1. x - floor(x) is exact for x >= 0 and
// x <= -1/2; in between it is above 1/2, rounded or not.
Result<std::int64_t> BinaryGrid::nearest(double value) const {
  HEARSAY_TRY(const double steps, in_steps(value, log2_step_));
  const double below = std::floor(steps);
  return static_cast<std::int64_t>(below) + (steps - below >= 0.5 ? 1 : 0);
}

Result<std::int64_t> BinaryGrid::towards_zero(double value) const {
  HEARSAY_TRY(const double steps, in_steps(value, log2_step_));
  return static_cast<std::int64_t>(steps);
}

double BinaryGrid::step() const { return std::ldexp(1.0, log2_step_); }
double BinaryGrid::value(std::int64_t steps) const { return std::ldexp(static_cast<double>(steps), log2_step_); }

}  // namespace hearsay::central
