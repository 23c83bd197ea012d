// The sampler gives output k to record x for entry(x, k) of the 2^32 coins. With shifts, the outputs of one row have
// the same entries in another order of the records. So these outputs have the same ratio, and one of them is enough.

#include "common/audit/strategy_audit.h"

#include <utility>

#include "common/audit/ratio_verdict.h"
#include "common/base/try.h"
#include "common/schema/universe.h"

namespace hearsay {
namespace {

// Finds the output with the largest ratio. Errors: kInvalidArgument (an output has the probability 0 for some record,
// so the ratio is infinite).
Result<LargestRatio> worst_output(const StrategyChannel& channel) {
  LargestRatio worst;
  worst.report = {0};
  for (std::uint32_t k = 0; k < channel.outputs(); k += channel.outputs_per_row()) {
    std::size_t most = 0;
    std::size_t least = 0;
    for (std::size_t x = 1; x < channel.records(); ++x) {
      if (channel.entry(x, k) > channel.entry(most, k)) most = x;
      if (channel.entry(x, k) < channel.entry(least, k)) least = x;
    }
    if (channel.entry(least, k) == 0) {
      return Error{ErrorCode::kInvalidArgument,
                   "the matrix has an entry of 0: no epsilon bounds what the matrix reveals"};
    }
    const WideFraction ratio{channel.entry(most, k), channel.entry(least, k)};
    if (compare(ratio, worst.ratio) > 0) worst = {ratio, most, least, {std::int64_t{k}}};
  }
  return worst;
}

}  // namespace

Result<AuditResult> audit_strategy(const Task& task, const StrategyChannel& channel) {
  if (!channel.is_over(task.arrangement())) {
    return Error{ErrorCode::kInvalidArgument, "the channel to audit is for another arrangement than the task's"};
  }
  HEARSAY_TRY(LargestRatio worst, worst_output(channel));
  return verdict_of(task, universe_of(task.asked_schema()), std::move(worst));
}

}  // namespace hearsay
