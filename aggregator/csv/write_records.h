// Writes records as CSV.
#pragma once

#include <string>
#include <vector>

#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::csv {

// Returns a text that read_records(schema, text) reads as these records: a header, then one row for each record.
std::string write_records(const Schema& schema, const std::vector<Record>& records);

}  // namespace hearsay::csv
