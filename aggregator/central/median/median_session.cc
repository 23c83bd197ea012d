#include "aggregator/central/median/median_session.h"

#include <algorithm>
#include <utility>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {

Result<MedianSession> MedianSession::start(const OnlineMedian& mechanism, std::span<const std::uint64_t> histogram,
                                           BitSource& bits) {
  const MedianAgreement& agreement = mechanism.agreement();
  if (histogram.size() != agreement.domain) {
    return Error{ErrorCode::kInvalidArgument, "the histogram must have one count for each element of the domain"};
  }
  const bool total_is_public = agreement.neighbours == Neighbours::kReplaceOne;
  const auto most = static_cast<std::uint64_t>(kMostMedianRecords);
  const std::uint64_t most_of_each = total_is_public ? most : most / agreement.domain;
  std::vector<std::int64_t> counts;
  std::int64_t total = 0;
  for (const std::uint64_t count : histogram) {
    if (total_is_public && count > static_cast<std::uint64_t>(kMostMedianRecords - total)) {
      return Error{ErrorCode::kLimitExceeded, "there may be at most 2^32 records"};
    }
    counts.push_back(static_cast<std::int64_t>(std::min(count, most_of_each)));
    total += counts.back();
  }
  if (total_is_public && total == 0) return Error{ErrorCode::kInvalidArgument, "there must be at least one record"};
  if (mechanism.total_noise()) {
    total = std::clamp<std::int64_t>(total + mechanism.total_noise()->sample(bits), 0, 2 * kMostMedianRecords);
  }
  HEARSAY_TRY(Candidates candidates, Candidates::create(agreement.domain, agreement.size));
  return MedianSession(mechanism, std::move(candidates), std::move(counts), total);
}

// A gap is at most 2^33·2^24 = 2^57, the threshold is below 2^61, and all noise is within ±2^62. So every sum fits into
// 64 bits.
Result<MedianAnswer> MedianSession::answer(Weights weights, BitSource& bits) {
  const MedianAgreement& agreement = mechanism_.agreement();
  if (weights.size() != agreement.domain) {
    return Error{ErrorCode::kInvalidArgument, "a query must have one weight for each element of the domain"};
  }
  if (std::ranges::any_of(weights, [&](std::uint32_t weight) { return weight > agreement.unit; })) {
    return Error{ErrorCode::kInvalidArgument, "a weight must be at most the unit"};
  }
  if (hard_ == mechanism_.hard_budget() || answered_ == agreement.queries || interrupted_) {
    return Error{ErrorCode::kBudgetExhausted, "the session has given the answers that its privacy budget allows"};
  }
  interrupted_ = true;  // stays true if the sampler throws below
  if (!threshold_) threshold_ = mechanism_.threshold(total_) + mechanism_.threshold_noise().sample(bits);
  const std::int64_t gap_noise = mechanism_.gap_noise().sample(bits);
  std::int64_t answer = 0;
  for (std::size_t x = 0; x < histogram_.size(); ++x) answer += weights[x] * histogram_[x];
  const std::int64_t median = candidates_.median(weights);
  const auto unit = static_cast<double>(agreement.unit);
  MedianAnswer given{false, median,
                     static_cast<double>(total_) * static_cast<double>(median) / (agreement.size * unit)};
  if (mechanism_.gap(answer, total_, median) + gap_noise >= *threshold_) {
    const std::int64_t noisy = with_noise(answer, mechanism_.answer_noise(), bits);
    mechanism_.prune(candidates_, weights, total_, noisy);
    threshold_.reset();
    ++hard_;
    given = {true, noisy, static_cast<double>(noisy) / unit};
  }
  ++answered_;
  interrupted_ = false;
  return given;
}

}  // namespace hearsay::central
