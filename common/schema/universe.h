// Lists every record of a small schema.
#pragma once

#include <vector>

#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay {

// Returns every record of the schema once; the last attribute changes fastest. The schema's universe_size() must have a
// value, and memory must hold all records.
std::vector<Record> universe_of(const Schema& schema);

}  // namespace hearsay
