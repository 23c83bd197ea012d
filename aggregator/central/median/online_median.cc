// Symbols: m = size, W = unit, N = total, a = a hard answer. One unit of a gap is 1/(mW) record.

#include "aggregator/central/median/online_median.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "aggregator/central/calibration.h"
#include "aggregator/central/median/composition.h"
#include "common/base/int128.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr std::uint64_t kMostQueries = std::uint64_t{1} << 32U;
constexpr std::uint64_t kLargestUnit = 1'000'000;
constexpr std::uint64_t kLargestSize = 1024;
// The largest allowed bound on the noise that is compared with a gap. A gap is at most 2^57, since N <= 2^33 and m·W <=
// 2^24.
constexpr double kLargestReach = 0x1p58;

Result<void> check(const MedianAgreement& a) {
  if (!(a.tau >= 0 && a.tau < 1)) return Error{ErrorCode::kInvalidArgument, "tau must lie in [0, 1)"};
  if (!(a.delta > 0 && a.delta < 1)) {
    return Error{ErrorCode::kInvalidArgument, "delta must lie strictly in (0, 1)"};
  }
  if (a.unit == 0 || a.unit > kLargestUnit || a.queries == 0 || a.queries > kMostQueries) {
    return Error{ErrorCode::kInvalidArgument,
                 "the unit must be from 1 to 10^6, and the number of queries from 1 to 2^32"};
  }
  if (a.size == 0 || a.size > kLargestSize || a.hard > 1024) {
    return Error{ErrorCode::kInvalidArgument,
                 "a sparse database must have 1 to 1,024 elements, and there may be at most 1,024 hard queries"};
  }
  if (a.size * a.unit > std::uint64_t{1} << 24U) {
    return Error{ErrorCode::kInvalidArgument, "the size of a sparse database times the unit must be at most 2^24"};
  }
  if (a.alpha_for_total.has_value() != (a.neighbours == Neighbours::kAddRemove)) {
    return Error{ErrorCode::kInvalidArgument,
                 "a share of alpha must go to the number of records if, and only if, that number is private"};
  }
  return {};
}

// Returns noise of scale sensitivity/(round·share/7).
Result<DiscreteLaplace> noise(std::uint64_t sensitivity, const Rational& round, std::uint64_t share) {
  HEARSAY_TRY(const Rational sevenfold, Rational::create(7 * sensitivity, share));
  return calibrated_noise(sevenfold, round);
}

// Returns `factor` times the least r with `draws`·Pr[|Y| > r] <= delta.
Result<std::int64_t> reach(const DiscreteLaplace& law, double draws, double delta, double factor) {
  const double bound = largest_noise(law, std::log(delta) - std::log(draws)) * factor;
  if (bound > kLargestReach) return Error{ErrorCode::kOverflow, "the noise would be too large for 64-bit integers"};
  return static_cast<std::int64_t>(bound);
}

}  // namespace

Result<OnlineMedian> OnlineMedian::create(const MedianAgreement& agreement) {
  HEARSAY_CHECK_OK(check(agreement));
  HEARSAY_TRY(const Candidates candidates, Candidates::create(agreement.domain, agreement.size));
  const auto doublings = static_cast<std::uint32_t>(std::bit_width(candidates.count()));  // ⌊log2⌋ + 1
  const std::uint64_t wanted = agreement.hard == 0 ? doublings : agreement.hard;
  const auto hard = static_cast<std::uint32_t>(std::min(wanted, agreement.queries));
  Rational alpha = exact(agreement.alpha);
  if (agreement.alpha_for_total) {
    HEARSAY_TRY(alpha, rest_of(agreement.alpha, *agreement.alpha_for_total));
  }
  HEARSAY_TRY(const Rational round, central::epsilon_per_round(alpha, agreement.tau, hard));
  const std::uint64_t gap_unit = agreement.size * agreement.unit;  // the most by which a record moves a gap
  HEARSAY_TRY(const DiscreteLaplace threshold_noise, noise(gap_unit, round, 2));
  HEARSAY_TRY(const DiscreteLaplace gap_noise, noise(2 * gap_unit, round, 3));
  HEARSAY_TRY(const DiscreteLaplace answer_noise, noise(agreement.unit, round, 2));
  OnlineMedian median(agreement, hard, round, threshold_noise, gap_noise, answer_noise);
  if (agreement.alpha_for_total) {
    HEARSAY_TRY(median.total_noise_, calibrated_noise(whole(1), exact(*agreement.alpha_for_total)));
  }
  HEARSAY_CHECK_OK(median.bound_noise());
  return median;
}

Result<void> OnlineMedian::bound_noise() {
  const auto gap_unit = static_cast<double>(agreement_.size * agreement_.unit);
  const double delta = agreement_.delta / (total_noise_ ? 4 : 3);
  HEARSAY_TRY(threshold_reach_, reach(threshold_noise_, hard_, delta, 1));
  HEARSAY_TRY(gap_reach_, reach(gap_noise_, static_cast<double>(agreement_.queries), delta, 1));
  HEARSAY_TRY(answer_reach_, reach(answer_noise_, hard_, delta, agreement_.size));
  if (total_noise_) {
    HEARSAY_TRY(total_reach_, reach(*total_noise_, 1, delta, gap_unit));
  }
  return {};
}

double OnlineMedian::sparse_error() const {
  const double m = agreement_.size;
  return std::min({1.0, static_cast<double>(agreement_.domain) / (4 * m),
                   std::sqrt(std::log(2 * static_cast<double>(agreement_.queries)) / (2 * m))});
}

// Returns a bound on |mW·q(D) - N·W·q(S*)| plus the bound on the noise of a hard answer, where S* is the sparse
// database nearest to D. For n records and N = n + noise, the difference has two parts. q(D) and n·q(S*)/m differ by at
// most n·sparse_error. n·q(S*)/m and N·q(S*)/m differ by at most |n - N|.
std::int64_t OnlineMedian::tolerance(std::int64_t total) const {
  const double gap_unit = static_cast<double>(agreement_.size * agreement_.unit);
  const double records = static_cast<double>(total) * gap_unit + static_cast<double>(total_reach_);
  const auto sparse = static_cast<std::int64_t>(std::ceil(records * sparse_error() * (1 + 1e-12)));
  return sparse + total_reach_ + answer_reach_;
}

// Returns the threshold T. The gap of a hard query is at least T minus the bounds on ρ and ν. At least half of the
// candidates are at least as far from q(D) as the median. So these candidates are further from the hard answer than the
// tolerance.
std::int64_t OnlineMedian::threshold(std::int64_t total) const {
  return tolerance(total) + answer_reach_ + threshold_reach_ + gap_reach_ + 1;
}

double OnlineMedian::error_bound(std::int64_t total) const {
  const auto gap_unit = static_cast<double>(agreement_.size * agreement_.unit);
  return static_cast<double>(threshold(total) + threshold_reach_ + gap_reach_) / gap_unit;
}

Result<std::uint64_t> OnlineMedian::rows_needed(double eta) const {
  if (!(eta > sparse_error() && eta <= 1)) {
    return Error{ErrorCode::kInvalidArgument, "eta must lie above the sparse error and be at most 1"};
  }
  std::int64_t low = 0;  // too few records, since the error is positive
  std::int64_t high = kMostMedianRecords;
  if (error_bound(high) > eta * static_cast<double>(high)) {
    return Error{ErrorCode::kOverflow, "more than 2^32 records would be needed"};
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (error_bound(middle) <= eta * static_cast<double>(middle) ? high : low) = middle;
  }
  return static_cast<std::uint64_t>(high);
}

std::int64_t OnlineMedian::gap(std::int64_t answer, std::int64_t total, std::int64_t median) const {
  return std::abs(answer * std::int64_t{agreement_.size} - total * median);
}

// Keeps candidates with |N·W·q(S) - m·a| <= tolerance, a in units of 1/W.
void OnlineMedian::prune(Candidates& candidates, Weights weights, std::int64_t total, std::int64_t answer) const {
  if (total == 0) return;
  const Int128 middle = Int128{answer} * agreement_.size;
  const Int128 reach = tolerance(total);
  const auto floor_div = [total](Int128 x) { return x / total - (x % total < 0 ? 1 : 0); };
  const auto narrow = [this](Int128 x) {  // clamps x to the range of W·q(S), with 1 to spare
    const Int128 most = Int128{agreement_.size} * agreement_.unit + 1;
    return static_cast<std::int64_t>(std::clamp<Int128>(x, -most, most));
  };
  candidates.keep_within(weights, narrow(-floor_div(reach - middle)), narrow(floor_div(middle + reach)));
}

}  // namespace hearsay::central
