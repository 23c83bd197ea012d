// Records from CSV.
#pragma once

#include <string_view>
#include <vector>

#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::csv {

// The header names the schema's attributes in any order; then one row a record. Booleans are yes/no, true/false or 1/0;
// quoting as in RFC 4180; a byte order mark is skipped. At least one record. Errors: kInvalidRecord (names the line and
// the attribute, never a value).
Result<std::vector<Record>> read_records(const Schema& schema, std::string_view csv);

}  // namespace hearsay::csv
