// Shows the state of an aggregator, or of a store without one, as GET /v1/status names its parts.
#pragma once

#include <string>

#include "aggregator/console/table.h"
#include "common/base/json.h"

namespace hearsay::cli {

// Returns a few lines for people. `status` may lack what a store without a daemon does not know.
std::string status_text(const Json& status);

// Returns every number and text of `status` with its name, such as "store.reports".
console::Table status_table(const Json& status);

}  // namespace hearsay::cli
