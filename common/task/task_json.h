// A task's specification to and from JSON; see format.md.
#pragma once

#include "common/base/json.h"
#include "hearsay/task.h"

namespace hearsay {

// Checks the shape of the document, not yet what Task::create() checks. Errors: kUnknownKey, kMissingKey, kWrongType,
// kInvalidSchema, kInvalidTask, kUnsupported (version).
Result<TaskSpec> spec_from_json(const Json& document);

// All members but an empty title and empty shares. The dump of it is the canonical form if the shares are.
Json spec_to_json(const TaskSpec& spec);

}  // namespace hearsay
