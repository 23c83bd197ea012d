// Writes records as CSV.
#pragma once

#include <string>
#include <vector>

#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::csv {

// Returns a header, and then one row for each record. read_records(schema, text) turns the text back into the same
// records.
std::string write_records(const Schema& schema, const std::vector<Record>& records);

}  // namespace hearsay::csv
