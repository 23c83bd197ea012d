// Reads and writes the member `questions` of a task's channel, see format.md.
#pragma once

#include <vector>

#include "common/base/strict_json.h"
#include "hearsay/mechanism.h"
#include "hearsay/schema.h"

namespace hearsay {

// Reads the array that `reader` has under "questions". Returns one element for each attribute of the schema; attributes
// that the array does not name get the default. Sorts multipliers, levels and sets of levels. Errors: those of
// spec_from_json().
Result<std::vector<QuestionSpec>> questions_from_json(const ObjectReader& reader, const Schema& schema);

// Writes the elements that are not the default. Writes an empty array if there are none.
Json questions_to_json(const std::vector<QuestionSpec>& questions, const Schema& schema);

}  // namespace hearsay
