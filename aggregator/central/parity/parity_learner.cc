#include "aggregator/central/parity/parity_learner.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "aggregator/central/parity/parity_votes.h"
#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {
namespace {

// The rank of n + 10 random rows of n bits is below n with probability below 2^-10.
constexpr std::uint32_t kSpareSamples = 10;
constexpr std::uint32_t kMostSamples = 65'536;

std::optional<bool> vote(std::vector<BitRow> samples, unsigned attributes, unsigned attribute, BitSource& bits) {
  for (unsigned other = 0; other + 1 < attributes; ++other) {
    if (other == attribute) continue;
    const auto has_other = [other](BitRow row) { return (row >> other & 1U) != 0; };
    const auto found = std::ranges::find_if(samples, has_other);
    if (found == samples.end()) continue;
    const BitRow pivot = *found;
    samples.erase(found);
    for (BitRow& row : samples) {
      if (has_other(row)) row ^= pivot;
    }
  }
  std::erase_if(samples, [attribute](BitRow row) { return (row >> attribute & 1U) == 0; });
  if (samples.empty()) return std::nullopt;
  return (samples[uniform_below(bits, samples.size())] >> (attributes - 1) & 1U) != 0;
}

}  // namespace

double label_sum_correct(unsigned rows, double noise_rate) { return 0.5 + 0.5 * std::pow(1 - 2 * noise_rate, rows); }

Result<ParityPlan> plan_parity(unsigned attributes, double noise_rate, double delta) {
  if (attributes < 2 || attributes > kMostParityAttributes) {
    return Error{ErrorCode::kInvalidArgument, "rows must have 2 to 20 attributes, the label included"};
  }
  if (!(noise_rate >= 0 && noise_rate < 0.5)) {
    return Error{ErrorCode::kInvalidArgument, "the noise rate must lie in [0, 1/2)"};
  }
  if (!(delta > 0 && delta < 1)) return Error{ErrorCode::kInvalidArgument, "delta must lie strictly in (0, 1)"};
  const unsigned selectable = attributes - 1;
  HEARSAY_TRY(const std::uint32_t votes, votes_for(selectable, label_sum_correct(selectable, noise_rate) - 0.5, delta));
  return ParityPlan{selectable + kSpareSamples, votes};
}

Result<std::uint32_t> votes_for(unsigned selectable, double advantage, double delta) {
  const double votes = std::ceil((std::log(selectable) - std::log(delta)) / (2 * advantage * advantage));
  if (!(votes <= kMostVotes)) return Error{ErrorCode::kLimitExceeded, "more than 10^7 votes would be needed"};
  return static_cast<std::uint32_t>(std::max(votes, 1.0)) | 1U;
}

Result<LearnedParity> learn_parity(const ReleasedRows& rows, const ParityPlan& plan, BitSource& bits) {
  const unsigned selectable = rows.attributes() - 1;
  if (plan.samples < selectable || plan.votes == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "a plan needs a sample for each attribute besides the label, and at least one vote"};
  }
  if (plan.samples > kMostSamples || plan.votes > kMostVotes) {
    return Error{ErrorCode::kLimitExceeded, "a plan may have at most 2^16 samples for each vote, and 10^7 votes"};
  }
  return learn_by_votes(rows, plan.samples, plan.votes, bits,
                        [&](const std::vector<BitRow>& samples, unsigned attribute) {
                          return vote(samples, rows.attributes(), attribute, bits);
                        });
}

}  // namespace hearsay::central
