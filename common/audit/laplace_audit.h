// The audit of the channel `laplace`.
#pragma once

#include "common/audit/audit.h"

namespace hearsay {

// See audit().
Result<AuditResult> audit_laplace(const Task& task, const LaplaceChannel& channel);

}  // namespace hearsay
