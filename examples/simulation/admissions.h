// The admission paradox of Berkeley's table of 1973: women are admitted less often overall, and in hardly any
// department.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "examples/population/population.h"
#include "hearsay/result.h"

namespace hearsay::examples {

// What the rates of women and men need, overall and in every department.
std::vector<std::string> admission_queries(const Population& population);

// A table of the rates with intervals beside the true ones, and what the intervals show. `answers` are those to
// admission_queries(). A rate that a query had no answer for is one that cannot be told.
Result<std::string> describe_admission_rates(const Population& population, const Json& answers);

}  // namespace hearsay::examples
