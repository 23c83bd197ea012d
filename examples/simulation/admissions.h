// The admission paradox of Berkeley's table of 1973: women are admitted less often overall, and in hardly any
// department.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "examples/population/population.h"
#include "hearsay/result.h"

namespace hearsay::examples {

// The queries that a task must answer so that admission_measures() can be answered: of women and men, overall and in
// every department, how many there are and how many of them were admitted.
std::vector<std::string> admission_queries(const Population& population);

// The admission rates of women and men and their difference, overall and by department.
std::vector<std::string> admission_measures();

// A table of the rates with intervals beside the true ones, and what the intervals show. `answers` are those to
// admission_measures(), with intervals that hold at once. A rate without an answer is one that cannot be told.
Result<std::string> describe_admission_rates(const Population& population, const Json& answers);

}  // namespace hearsay::examples
