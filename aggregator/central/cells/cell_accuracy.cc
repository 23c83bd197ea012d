// Symbols: t = the scale, q = e^{-1/t}. The noise has the moment generating function M(λ) =
// (1-q)²/((1-qe^λ)(1-qe^{-λ})).

#include "aggregator/central/cells/cell_accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/central/calibration.h"
#include "aggregator/central/cells/cell_cube.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

Result<void> check(std::uint64_t cells, double delta) {
  if (cells == 0) return Error{ErrorCode::kInvalidArgument, "there must be at least one cell"};
  if (!(delta > 0 && delta < 1)) return Error{ErrorCode::kInvalidArgument, "delta must lie strictly in (0, 1)"};
  return {};
}

// Any λ = u/t with 0 < u < 1 gives a valid bound, so an imprecise search is safe.
double chernoff(const DiscreteLaplace& noise, double cells, double log_inverse) {
  constexpr int kSteps = 256;
  const double t = noise.scale().approximate();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 1; i < kSteps; ++i) {
    const double u = static_cast<double>(i) / kSteps;
    const double log_moment =
        2 * std::log(-std::expm1(-1 / t)) - std::log(-std::expm1((u - 1) / t)) - std::log(-std::expm1(-(1 + u) / t));
    best = std::min(best, (cells * log_moment + log_inverse) * t / u);
  }
  return best;
}

}  // namespace

Result<std::uint64_t> every_cell_error(const DiscreteLaplace& noise, std::uint64_t cells, double delta) {
  HEARSAY_CHECK_OK(check(cells, delta));
  const double largest = largest_noise(noise, std::log(delta) - std::log(static_cast<double>(cells)));
  if (largest > 0x1p62) return Error{ErrorCode::kOverflow, "the error would exceed 2^62"};
  return static_cast<std::uint64_t>(largest);
}

Result<double> box_error(const DiscreteLaplace& noise, std::uint64_t cells, double delta) {
  HEARSAY_CHECK_OK(check(cells, delta));
  return chernoff(noise, static_cast<double>(cells), std::log(2.0) - std::log(delta));
}

Result<double> every_box_error(const DiscreteLaplace& noise, std::span<const std::uint32_t> shape, double delta) {
  HEARSAY_TRY(const std::uint64_t cells, count_cells(shape));
  HEARSAY_CHECK_OK(check(cells, delta));
  double log_inverse = std::log(2.0) - std::log(delta);
  for (const double size : shape) log_inverse += std::log(size) + std::log(size + 1) - std::log(2.0);
  return chernoff(noise, static_cast<double>(cells), log_inverse);
}

}  // namespace hearsay::central
