// The admission paradox of Berkeley's table of 1973: overall women were admitted less often than men, but in hardly any
// department.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "examples/population/population.h"
#include "hearsay/result.h"

namespace hearsay::examples {

// The queries that a task must answer so that admission_measures() can be answered: for women and for men, overall and
// in every department, the fraction of applicants and of admitted applicants.
std::vector<std::string> admission_queries(const Population& population);

// The admission rates of women and men and their difference, overall and by department.
std::vector<std::string> admission_measures();

// Prints a table of the rates with intervals beside the true rates, and what the intervals show. `answers` are the
// answers to admission_measures(), with intervals that hold all at once. Rates without an answer count as unknown.
Result<std::string> describe_admission_rates(const Population& population, const Json& answers);

}  // namespace hearsay::examples
