// The answers of the aggregator as one table for programs.
#pragma once

#include "aggregator/console/table.h"
#include "common/base/json.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::cli {

// Returns a row for each query, each row of a measure, and each cell of a table. The column `kind` tells them apart.
// Columns have the names of the API's members, which README.md lists. A missing answer has no numbers, and the reason
// is in `remarks`. The end of an unbounded interval is empty. `schema`: the task's schema, with the cells of the task's
// cuts as values. Errors: kTaskMismatch.
Result<console::Table> csv_of_answers(const Json& answers, const Schema& schema);

}  // namespace hearsay::cli
