// The answers of the aggregator as `estimate` prints them for people.
#pragma once

#include <string>

#include "common/base/json.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::cli {

// Returns the text of an error, such as "query_not_covered: …".
std::string error_text(const Json& error);

// Returns an estimate's warnings in one line.
std::string joined(const Json& warnings);

// Returns the attributes of a table as in a line of CSV, such as "sex,age: ".
std::string about(const Json& table);

// Returns one row for each query's estimate, and remarks on single estimates below. Lines have at most kColumns
// columns.
std::string text_of_estimates(const Json& estimates, bool project);

// Returns one row for each cell of a table. Lines have at most kColumns columns. Errors: kTaskMismatch.
Result<std::string> text_of_cells(const Json& table, const Schema& schema);

}  // namespace hearsay::cli
