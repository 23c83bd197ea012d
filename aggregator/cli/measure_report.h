// The answers to measures as `estimate` prints them.
#pragma once

#include <string>

#include "aggregator/console/table.h"
#include "common/base/json.h"

namespace hearsay::cli {

// One row for each row of the answer: measure, case, period, numbers. Ends that are unbounded are empty.
console::Table csv_of_measures(const Json& answers);

// The same for people: lines of at most kColumns, remarks and tests of "no change" below.
std::string text_of_measures(const Json& answers);

}  // namespace hearsay::cli
