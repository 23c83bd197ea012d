// The answers of the aggregator as one table for programs.
#pragma once

#include "aggregator/console/table.h"
#include "common/base/json.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::cli {

// A row for each query, each row of a measure, and each cell of a table; the column `kind` tells them apart. Columns
// have the names of the API's members; README.md lists them. An answer that is not there has empty numbers and the
// reason in `remarks`. Unbounded ends are empty. `schema`: the task's, with the cells of its cuts. Errors:
// kTaskMismatch.
Result<console::Table> csv_of_answers(const Json& answers, const Schema& schema);

}  // namespace hearsay::cli
