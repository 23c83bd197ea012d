// Reads and writes a task's specification as JSON; see format.md.
#pragma once

#include "common/base/json.h"
#include "hearsay/task.h"

namespace hearsay {

// Reads the document and checks its shape. Task::create() makes all other checks. Errors: kUnknownKey, kMissingKey,
// kWrongType, kInvalidSchema, kInvalidTask, kLimitExceeded, kUnsupported (another version).
Result<TaskSpec> spec_from_json(const Json& document);

// Writes a task's specification. Leaves out optional members that are empty or 0. If `spec` is canonical, the text of
// the result is the canonical form.
Json spec_to_json(const TaskSpec& spec);

}  // namespace hearsay
