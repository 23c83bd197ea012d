#include "aggregator/central/domain/grid.h"

#include <algorithm>
#include <cmath>

namespace hearsay::central {

Result<Grid> Grid::create(double low, double high, std::optional<unsigned> bits) {
  if (std::isnan(low) || std::isnan(high)) return Error{ErrorCode::kInvalidArgument, "an end of the domain is NaN"};
  if (std::isinf(low) || std::isinf(high)) {
    return Error{ErrorCode::kInvalidArgument,
                 "the domain is unbounded: no differentially private release is useful for intervals on it (Blum, "
                 "Ligett, Roth 2008, Theorem 5.1); give it two finite ends"};
  }
  if (!bits) {
    return Error{ErrorCode::kInvalidArgument,
                 "the domain is continuous: no differentially private release is useful for intervals on it (Blum, "
                 "Ligett, Roth 2008, Theorem 5.1); give a number of bits to discretise it"};
  }
  if (!(low < high) || !std::isfinite(high - low)) {
    return Error{ErrorCode::kInvalidArgument, "the domain must have a positive, finite width"};
  }
  if (*bits < 1 || *bits > kMostBits) {
    return Error{ErrorCode::kInvalidArgument, "the number of bits that cut a domain must be from 1 to 52"};
  }
  return Grid(low, high, *bits);
}

std::uint64_t Grid::cell(double x) const {
  if (!(x >= low_)) return 0;  // true also for NaN
  if (x > high_) return cells() - 1;
  const double place = std::floor((x - low_) / (high_ - low_) * static_cast<double>(cells()));
  return std::min(static_cast<std::uint64_t>(place), cells() - 1);
}

double Grid::left_end(std::uint64_t cell) const {
  if (cell >= cells()) return high_;
  return low_ + (high_ - low_) * (static_cast<double>(cell) / static_cast<double>(cells()));
}

}  // namespace hearsay::central
