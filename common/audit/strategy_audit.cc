// A row of the matrix is the law of a record: the sampler gives output k for exactly entry(x, k) of 2^32 coins.

#include "common/audit/strategy_audit.h"

#include "common/audit/wide_fraction.h"
#include "common/base/try.h"
#include "common/privacy/exponential.h"
#include "common/schema/universe.h"

namespace hearsay {
namespace {

struct WorstOutput {
  WideFraction ratio{1, 1};
  std::size_t first = 0;
  std::size_t second = 1;
  std::uint32_t output = 0;
};

// Finds the output with the largest ratio. Errors: kInvalidArgument (some records never give an output, so the ratio is
// infinite).
Result<WorstOutput> worst_output(const StrategyChannel& channel) {
  WorstOutput worst;
  for (std::uint32_t k = 0; k < channel.outputs(); ++k) {
    std::size_t most = 0;
    std::size_t least = 0;
    for (std::size_t x = 1; x < channel.records(); ++x) {
      if (channel.entry(x, k) > channel.entry(most, k)) most = x;
      if (channel.entry(x, k) < channel.entry(least, k)) least = x;
    }
    if (channel.entry(least, k) == 0) {
      return Error{ErrorCode::kInvalidArgument, "the matrix has an entry of 0: no epsilon bounds what it reveals"};
    }
    const WideFraction ratio{channel.entry(most, k), channel.entry(least, k)};
    if (compare(ratio, worst.ratio) > 0) worst = {ratio, most, least, k};
  }
  return worst;
}

}  // namespace

Result<AuditResult> audit_strategy(const Task& task, const StrategyChannel& channel) {
  if (!channel.is_over(task.arrangement())) {
    return Error{ErrorCode::kInvalidArgument, "the channel is not over the task's arrangement"};
  }
  HEARSAY_TRY(const WorstOutput worst, worst_output(channel));
  const std::vector<Record> records = universe_of(task.asked_schema());
  HEARSAY_TRY(const Rational claimed, Rational::create(task.epsilon().num(), task.epsilon().den()));
  const bool holds = compare_with_exp(worst.ratio.num, worst.ratio.den, claimed) <= 0;
  Rational actual = logarithm_upwards(worst.ratio);
  if (holds && actual > claimed) actual = claimed;
  return AuditResult{claimed,
                     actual,
                     false,
                     holds,
                     records[worst.first],
                     records[worst.second],
                     {static_cast<std::int64_t>(worst.output)},
                     std::uint64_t{records.size()} * (records.size() - 1)};
}

}  // namespace hearsay
