#include "common/audit/audit.h"

#include <variant>

#include "common/audit/laplace_audit.h"
#include "common/audit/sampled_audit.h"

namespace hearsay {

Result<AuditResult> audit(const Task& task, const Channel& channel) {
  if (const auto* sampled = std::get_if<SampledChannel>(&channel.kind())) return audit_sampled(task, *sampled);
  return audit_laplace(task, std::get<LaplaceChannel>(channel.kind()));
}

}  // namespace hearsay
