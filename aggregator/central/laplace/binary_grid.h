// The public grid that real values are rounded to before any noise.
#pragma once

#include <cstdint>

#include "aggregator/central/calibration.h"
#include "hearsay/result.h"

namespace hearsay::central {

// The multiples of step() = 2^log2_step. A power of two, because dividing a double by it is exact: the thresholds
// between two multiples lie exactly one step apart, on which the sensitivities of rounded functions rest. Immutable.
class BinaryGrid {
 public:
  // The largest multiple in absolute value. Statistics and noisy answers stay within it too.
  static constexpr std::int64_t kLargest = kLargestStatistic;

  // Errors: kInvalidArgument unless -60 <= log2_step <= 60.
  static Result<BinaryGrid> create(int log2_step);

  // The multiple nearest to `value`, in steps, a tie upwards: x -> floor(x/step + 1/2), exactly, clamped to ±kLargest.
  // An interval of length L meets at most ⌈L/step⌉ thresholds. No value is refused: NaN counts as 0.
  std::int64_t nearest(double value) const;

  // The multiple next to `value` on the side of 0, never longer than it, clamped to ±kLargest. NaN counts as 0.
  std::int64_t towards_zero(double value) const;

  double step() const;
  int log2_step() const { return log2_step_; }
  double value(std::int64_t steps) const;  // the nearest double of steps·step()

 private:
  explicit BinaryGrid(int log2_step) : log2_step_(log2_step) {}
  int log2_step_;
};

}  // namespace hearsay::central
