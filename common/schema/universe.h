// Every record of a small schema.
#pragma once

#include <vector>

#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay {

// Each combination of values once; the last attribute changes fastest. The schema's universe_size() must be known, and
// memory must hold so many records.
std::vector<Record> universe_of(const Schema& schema);

}  // namespace hearsay
