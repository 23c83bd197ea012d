// The audit of the channel `sampled`.
#pragma once

#include "common/audit/audit.h"

namespace hearsay {

// See audit().
Result<AuditResult> audit_sampled(const Task& task, const SampledChannel& channel);

}  // namespace hearsay
