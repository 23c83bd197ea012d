// Reads and writes the member `cuts` of a task document, see format.md.
#pragma once

#include <vector>

#include "common/base/strict_json.h"
#include "hearsay/mechanism.h"
#include "hearsay/schema.h"

namespace hearsay {

// Reads the array that `reader` has under "cuts", with elements in any order. In the result, attributes ascend.
// Coarsening, not this function, refuses cuts that do not fit the attribute. Errors: those of spec_from_json().
Result<std::vector<Cuts>> cuts_from_json(const ObjectReader& reader, const Schema& schema);

Json cuts_to_json(const std::vector<Cuts>& cuts, const Schema& schema);

}  // namespace hearsay
