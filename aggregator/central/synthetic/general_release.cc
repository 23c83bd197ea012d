#include "aggregator/central/synthetic/general_release.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

bool is_fraction(double value) { return value > 0 && value < 1; }

Result<void> check_not_empty(std::span<const std::uint64_t> histogram) {
  if (std::all_of(histogram.begin(), histogram.end(), [](std::uint64_t count) { return count == 0; })) {
    return Error{ErrorCode::kInvalidArgument, "there must be at least one record"};
  }
  return {};
}

}  // namespace

Result<GeneralRelease> GeneralRelease::create(QueryClass queries, std::uint32_t size, const Epsilon& alpha) {
  HEARSAY_TRY(Selection selection, Selection::create(std::move(queries), size, exact(alpha)));
  return GeneralRelease(std::move(selection));
}

Result<SyntheticDatabase> GeneralRelease::release(std::span<const std::uint64_t> histogram, BitSource& bits) const {
  HEARSAY_CHECK_OK(check_not_empty(histogram));
  return selection_.enumerate(histogram, bits);
}

Result<SyntheticDatabase> GeneralRelease::release_by_chain(std::span<const std::uint64_t> histogram,
                                                           std::uint64_t steps, BitSource& bits) const {
  HEARSAY_CHECK_OK(check_not_empty(histogram));
  return selection_.walk(histogram, steps, bits);
}

Result<std::uint64_t> synthetic_size(double log_queries, double error) {
  if (!(log_queries >= 0) || !is_fraction(error)) {
    return Error{ErrorCode::kInvalidArgument,
                 "a class must have at least one query, and the error must lie strictly in (0, 1)"};
  }
  return record_count(std::floor(2 / error / error * (std::log(2.0) + log_queries)) + 1);
}

Result<std::uint64_t> release_rows(double log_databases, double error, double alpha, double delta) {
  if (!(log_databases >= 0) || !is_fraction(error) || !is_fraction(delta) || !(alpha > 0)) {
    return Error{ErrorCode::kInvalidArgument, "error and delta must lie strictly in (0, 1), and alpha above 0"};
  }
  return record_count(4 / error / alpha * (log_databases - std::log(delta)));
}

}  // namespace hearsay::central
