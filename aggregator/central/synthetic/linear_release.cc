#include "aggregator/central/synthetic/linear_release.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

std::uint64_t total_of(std::span<const std::uint64_t> histogram) {
  return std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
}

}  // namespace

Result<double> ScaledDatabase::answer(std::span<const double> query) const {
  return database.scaled_answer(static_cast<double>(total), query);
}

Result<LinearRelease> LinearRelease::create(QueryClass queries, std::uint32_t size, Neighbours neighbours,
                                            const Epsilon& alpha, const std::optional<Epsilon>& alpha_for_total) {
  if (neighbours == Neighbours::kReplaceOne) {
    if (alpha_for_total) {
      return Error{ErrorCode::kInvalidArgument,
                   "under replace-one the number of records is public: spend no alpha on it"};
    }
    HEARSAY_TRY(Selection selection, Selection::create(std::move(queries), size, exact(alpha)));
    return LinearRelease(std::move(selection), std::nullopt, exact(alpha));
  }
  if (!alpha_for_total) {
    return Error{ErrorCode::kInvalidArgument,
                 "under add-remove the released histogram reveals the number of records, which is private: a part of "
                 "alpha must go to the noise on this number"};
  }
  HEARSAY_TRY(const Rational rest, rest_of(alpha, *alpha_for_total));
  HEARSAY_TRY(const DiscreteLaplace noise, calibrated_noise(whole(1), exact(*alpha_for_total)));
  HEARSAY_TRY(Selection selection, Selection::create(std::move(queries), size, rest));
  if (selection.capacity() == 0) {
    return Error{ErrorCode::kOverflow,
                 "the synthetic size, times the unit of the weights, times the size of the domain exceeds 2^61"};
  }
  return LinearRelease(std::move(selection), noise, exact(alpha));
}

// Under add-remove ‖D‖₁ is private, so no histogram may be refused as too large to be scored.
std::vector<std::uint64_t> LinearRelease::counted(std::span<const std::uint64_t> histogram) const {
  if (noise_) return selection_.within_capacity(histogram);
  return {histogram.begin(), histogram.end()};
}

Result<ScaledDatabase> LinearRelease::scaled(SyntheticDatabase database, std::span<const std::uint64_t> histogram,
                                             BitSource& bits) const {
  auto total = static_cast<std::int64_t>(total_of(histogram));  // at most 2^61: the selection has checked this
  if (noise_) total = with_noise(total, *noise_, bits);
  if (!noise_ && total == 0) return Error{ErrorCode::kInvalidArgument, "there must be at least one record"};
  if (database.proved_epsilon) database.proved_epsilon = alpha_;
  return ScaledDatabase{std::move(database), total};
}

Result<ScaledDatabase> LinearRelease::release(std::span<const std::uint64_t> histogram, BitSource& bits) const {
  const std::vector<std::uint64_t> counts = counted(histogram);
  HEARSAY_TRY(SyntheticDatabase database, selection_.enumerate(counts, bits));
  return scaled(std::move(database), counts, bits);
}

Result<ScaledDatabase> LinearRelease::release_by_chain(std::span<const std::uint64_t> histogram, std::uint64_t steps,
                                                       BitSource& bits) const {
  const std::vector<std::uint64_t> counts = counted(histogram);
  HEARSAY_TRY(SyntheticDatabase database, selection_.walk(counts, steps, bits));
  return scaled(std::move(database), counts, bits);
}

Result<double> LinearRelease::error_bound(double best_error, double beta) const {
  if (!(best_error >= 0) || !std::isfinite(best_error) || !(beta > 0 && beta < 1)) {
    return Error{ErrorCode::kInvalidArgument, "the best error must be at least 0, and beta strictly in (0, 1)"};
  }
  const double share = noise_ ? beta / 2 : beta;
  const double log_databases = log_multisets(selection_.queries().domain(), selection_.size());
  const double selected = 2 / selection_.decay().epsilon().approximate() * (log_databases - std::log(share));
  const double noise = noise_ ? std::ceil(noise_->scale().approximate() * std::log(2 / share)) : 0;
  return best_error + selected + noise;
}

}  // namespace hearsay::central
