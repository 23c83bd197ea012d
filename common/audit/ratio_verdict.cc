#include "common/audit/ratio_verdict.h"

#include <utility>

#include "common/base/try.h"
#include "common/privacy/exponential.h"

namespace hearsay {

Result<AuditResult> verdict_of(const Task& task, const std::vector<Record>& records, LargestRatio worst) {
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
                     std::move(worst.report),
                     std::uint64_t{records.size()} * (records.size() - 1)};
}

}  // namespace hearsay
