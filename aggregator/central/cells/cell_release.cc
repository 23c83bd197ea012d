#include "aggregator/central/cells/cell_release.h"

#include <algorithm>
#include <utility>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

}  // namespace

std::uint64_t cell_sensitivity(Neighbours neighbours, AmountRange amounts) {
  const std::uint64_t cells_touched = neighbours == Neighbours::kReplaceOne ? 2 : 1;
  return cells_touched * std::max(magnitude(amounts.low), magnitude(amounts.high));
}

Result<CellRelease> CellRelease::create(const Epsilon& epsilon, Neighbours neighbours, AmountRange amounts) {
  HEARSAY_TRY(const CellCube probe, CellCube::create({1}, amounts));
  const std::uint64_t sensitivity = cell_sensitivity(neighbours, probe.amounts());
  HEARSAY_TRY(const DiscreteLaplace noise, calibrated_noise(whole(sensitivity), exact(epsilon)));
  return CellRelease(noise, neighbours, amounts);
}

Result<ReleasedCube> CellRelease::release(const CellCube& cube, BitSource& bits) const {
  if (cube.amounts() != amounts_) {
    return Error{ErrorCode::kInvalidArgument, "the noise was calibrated for another range of amounts"};
  }
  std::vector<std::int64_t> noisy;
  noisy.reserve(cube.cells().size());
  for (const std::int64_t cell : cube.cells()) noisy.push_back(with_noise(cell, noise_, bits));
  return ReleasedCube::create(cube.shape(), std::move(noisy));
}

}  // namespace hearsay::central
