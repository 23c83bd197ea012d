// The audit of the channel `strategy`.
#pragma once

#include "common/audit/audit.h"

namespace hearsay {

// See audit().
Result<AuditResult> audit_strategy(const Task& task, const StrategyChannel& channel);

}  // namespace hearsay
