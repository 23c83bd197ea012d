#include "aggregator/central/laplace/laplace_count.h"

#include <algorithm>

#include "common/base/try.h"

namespace hearsay::central {

Result<LaplaceCount> LaplaceCount::create(const Epsilon& epsilon) {
  HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(epsilon, whole(1), Neighbours::kReplaceOne));
  return LaplaceCount(laplace);
}

Result<CentralAnswer> LaplaceCount::release(std::uint64_t count, std::uint64_t people, double confidence,
                                            BitSource& bits) const {
  if (people == 0 || static_cast<double>(people) > kMostRecords) {
    return Error{ErrorCode::kInvalidArgument, "the number of people to count must be from 1 to 2^53"};
  }
  if (!(confidence > 0 && confidence < 1)) {
    return Error{ErrorCode::kInvalidArgument, "the confidence must lie strictly in (0, 1)"};
  }
  HEARSAY_TRY(const std::uint64_t bound, error_bound(1 - confidence));
  const std::int64_t noisy = laplace_.release(static_cast<std::int64_t>(std::min(count, people)), bits);
  const auto n = static_cast<double>(people);
  const double fraction = static_cast<double>(noisy) / n;
  const double reach = static_cast<double>(bound) / n;
  return CentralAnswer{noisy, fraction, standard_deviation() / n, fraction - reach, fraction + reach};
}

Result<std::uint64_t> LaplaceCount::users(double alpha, double beta) const {
  HEARSAY_TRY(const std::uint64_t bound, error_bound(beta));
  return people_for(bound, alpha);
}

}  // namespace hearsay::central
