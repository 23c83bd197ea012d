// Symbols: A = the largest amount in magnitude, s = the sensitivity, t = s/ε = the noise's scale.

#include "aggregator/central/cells/cell_release.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "aggregator/central/cells/distributive.h"
#include "common/base/int128.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

}  // namespace

std::uint64_t cell_sensitivity(Neighbours neighbours, AmountRange amounts) {
  return parts_touched(neighbours) * std::max(magnitude(amounts.low), magnitude(amounts.high));
}

Result<CellRelease> CellRelease::create(const Epsilon& epsilon, Neighbours neighbours, AmountRange amounts) {
  HEARSAY_TRY(const CellCube probe, CellCube::create({1}, amounts));
  HEARSAY_TRY(const Rational loss_per_unit, Rational::create(epsilon.num(), epsilon.den()));
  HEARSAY_TRY(const Rational sensitivity, Rational::create(cell_sensitivity(neighbours, probe.amounts()), 1));
  HEARSAY_TRY(const Rational scale, sensitivity.divided_by(loss_per_unit));
  HEARSAY_TRY(const DiscreteLaplace noise, DiscreteLaplace::create(scale));
  return CellRelease(noise, neighbours, amounts);
}

// |cell| <= 2^61 and |Y| <= 2^62: their sum fits, and the clamp of Y lets nothing through that an unclamped one hides.
Result<ReleasedCube> CellRelease::release(const CellCube& cube, BitSource& bits) const {
  if (cube.amounts() != amounts_) {
    return Error{ErrorCode::kInvalidArgument, "the noise was calibrated for another range of amounts"};
  }
  std::vector<std::int64_t> noisy;
  noisy.reserve(cube.cells().size());
  for (const std::int64_t cell : cube.cells()) noisy.push_back(cell + noise_.sample(bits));
  return ReleasedCube::create(cube.shape(), std::move(noisy));
}

// Each coordinate's ratio is e^{(|y-b|-|y-a|)/t}, at most e^{|a-b|/t}, attained at y = a.
Result<Rational> CellRelease::privacy_loss(const CellCube& a, const CellCube& b) const {
  if (a.shape() != b.shape()) return Error{ErrorCode::kInvalidArgument, "the cubes differ in shape"};
  Uint128 distance = 0;
  for (std::size_t i = 0; i < a.cells().size(); ++i) distance += magnitude(a.cells()[i] - b.cells()[i]);
  if (distance > std::numeric_limits<std::uint64_t>::max()) {
    return Error{ErrorCode::kOverflow, "the cubes are too far apart"};
  }
  HEARSAY_TRY(const Rational steps, Rational::create(static_cast<std::uint64_t>(distance), 1));
  return steps.divided_by(noise_.scale());
}

}  // namespace hearsay::central
