// The public grid to which real values are rounded before any noise.
#pragma once

#include <cstdint>

#include "aggregator/central/calibration.h"
#include "hearsay/result.h"

namespace hearsay::central {

// The multiples of step() = 2^log2_step. Dividing a double by a power of two is exact. So the thresholds at which
// rounding moves to the next multiple lie exactly one step apart. The sensitivities of rounded functions rely on this
// exact distance. Immutable.
class BinaryGrid {
 public:
  // The largest multiple, in steps. Statistics and noisy answers stay within ±kLargest, too.
  static constexpr std::int64_t kLargest = kLargestStatistic;

  // Errors: kInvalidArgument unless -60 <= log2_step <= 60.
  static Result<BinaryGrid> create(int log2_step);

  // Returns the multiple nearest to `value`, in steps, with ties upwards: exactly floor(value/step + 1/2), clamped to
  // ±kLargest. If `value` grows by L > 0, the result grows by at most ⌈L/step⌉. Refuses no value: NaN counts as 0.
  std::int64_t nearest(double value) const;

  // Returns `value` rounded towards 0 to a multiple, in steps, clamped to ±kLargest. NaN counts as 0.
  std::int64_t towards_zero(double value) const;

  double step() const;
  int log2_step() const { return log2_step_; }
  double value(std::int64_t steps) const;  // the double nearest to steps·step()

 private:
  explicit BinaryGrid(int log2_step) : log2_step_(log2_step) {}
  int log2_step_;
};

}  // namespace hearsay::central
