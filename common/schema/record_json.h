// Records in JSON; see format.md.
#pragma once

#include <string>

#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay {

// Returns the record as the JSON that Record::parse() reads. `schema` must be the schema of the record.
std::string record_json(const Schema& schema, const Record& record);

}  // namespace hearsay
