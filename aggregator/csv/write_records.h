// Records as CSV.
#pragma once

#include <string>
#include <vector>

#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::csv {

// Returns the text that read_records(schema, text) reads as these records: the attributes' names, then a row a record.
std::string write_records(const Schema& schema, const std::vector<Record>& records);

}  // namespace hearsay::csv
