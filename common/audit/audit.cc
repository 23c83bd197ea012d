#include "common/audit/audit.h"

#include <variant>

#include "common/audit/laplace_audit.h"
#include "common/audit/sampled_audit.h"
#include "common/audit/strategy_audit.h"

namespace hearsay {

Result<AuditResult> audit(const Task& task, const Channel& channel) {
  if (const auto* sampled = std::get_if<SampledChannel>(&channel.kind())) return audit_sampled(task, *sampled);
  if (const auto* strategy = std::get_if<StrategyChannel>(&channel.kind())) return audit_strategy(task, *strategy);
  return audit_laplace(task, std::get<LaplaceChannel>(channel.kind()));
}

}  // namespace hearsay
