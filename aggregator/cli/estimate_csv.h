// Puts the aggregator's answers into one table for programs.
#pragma once

#include "aggregator/console/table.h"
#include "common/base/json.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::cli {

// Returns a row for each query, each row of a measure, and each cell of a table. README.md lists the columns. The
// column `kind` says what a row is. If an answer is missing, its numbers are empty, and `remarks` has the reason. The
// end of an unbounded interval is empty. `schema` is the task's asked_schema(). Errors: kTaskMismatch (the answers do
// not fit the schema).
Result<console::Table> csv_of_answers(const Json& answers, const Schema& schema);

}  // namespace hearsay::cli
