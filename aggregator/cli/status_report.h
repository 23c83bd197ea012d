// Formats the status of an aggregator, or of a store without an aggregator. `status` has the members of GET /v1/status.
#pragma once

#include <string>

#include "aggregator/console/table.h"
#include "common/base/json.h"

namespace hearsay::cli {

// Returns a few lines for people. For a store without an aggregator, some members of `status` may be missing.
std::string status_text(const Json& status);

// Returns every number and text of `status` with its name, such as "store.reports".
console::Table status_table(const Json& status);

}  // namespace hearsay::cli
