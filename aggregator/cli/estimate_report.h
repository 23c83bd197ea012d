// The answers of the aggregator as `estimate` prints them for people.
#pragma once

#include <string>

#include "common/base/json.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::cli {

// "query_not_covered: …".
std::string error_text(const Json& error);

// An estimate's warnings in one line.
std::string joined(const Json& warnings);

// "sex,age: ", the attributes as in a line of CSV: which table a line is about.
std::string about(const Json& table);

// The queries' estimates, one row each, and below them what must be known about single ones; lines of at most kColumns.
std::string text_of_estimates(const Json& estimates, bool project);

// The cells of a table, one row each; lines of at most kColumns. Errors: kTaskMismatch.
Result<std::string> text_of_cells(const Json& table, const Schema& schema);

}  // namespace hearsay::cli
