// Formats the aggregator's answers for people, as `estimate` prints them.
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

// Returns the attributes of a table, written as in a line of CSV, and a colon: "sex,age: ".
std::string about(const Json& table);

// Returns a table with one row for each query's estimate, and remarks on single estimates below the table. If `project`
// is true, the table has a column with the consistent values. Lines have at most kColumns columns.
std::string text_of_estimates(const Json& estimates, bool project);

// Returns a table with one row for each cell. Errors: kTaskMismatch (the table does not fit the schema).
Result<std::string> text_of_cells(const Json& table, const Schema& schema);

}  // namespace hearsay::cli
