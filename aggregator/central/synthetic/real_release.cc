#include "aggregator/central/synthetic/real_release.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {

Result<double> ScaledRealDatabase::answer(std::span<const double> query) const {
  return database.scaled_answer(total, query);
}

Result<RealRelease> RealRelease::create(QueryClass queries, std::uint32_t size, unsigned resolution_bits,
                                        const Epsilon& alpha, const Epsilon& alpha_for_total) {
  if (resolution_bits > 20) {
    return Error{ErrorCode::kInvalidArgument, "the resolution of the weights must be at most 2^20"};
  }
  const std::uint64_t resolution = std::uint64_t{1} << resolution_bits;
  HEARSAY_TRY(const Rational rest, rest_of(alpha, alpha_for_total));
  const Rational sensitivity = whole(resolution + queries.domain());
  HEARSAY_TRY(const Rational per_unit, rest.divided_by(sensitivity));
  HEARSAY_TRY(Selection selection, Selection::create(std::move(queries), size, per_unit));
  HEARSAY_TRY(const DiscreteLaplace noise, calibrated_noise(sensitivity, exact(alpha_for_total)));
  return RealRelease(std::move(selection), noise, resolution, alpha);
}

std::vector<std::uint64_t> RealRelease::in_units(std::span<const double> weights) const {
  const auto capacity = static_cast<double>(selection_.capacity());
  std::vector<std::uint64_t> units;
  for (const double weight : weights) {
    const double scaled = std::floor(weight * static_cast<double>(resolution_));
    units.push_back(scaled > 0 ? scaled < capacity ? static_cast<std::uint64_t>(scaled) : selection_.capacity() : 0);
  }
  return units;
}

Result<ScaledRealDatabase> RealRelease::release(std::span<const double> weights, BitSource& bits) const {
  const std::vector<std::uint64_t> units = in_units(weights);
  HEARSAY_TRY(SyntheticDatabase database, selection_.enumerate(units, bits));
  if (database.proved_epsilon) database.proved_epsilon = exact(alpha_);
  const auto sum = static_cast<std::int64_t>(std::accumulate(units.begin(), units.end(), std::uint64_t{0}));
  const auto total = static_cast<double>(with_noise(sum, noise_, bits)) / static_cast<double>(resolution_);
  return ScaledRealDatabase{std::move(database), total};
}

}  // namespace hearsay::central
