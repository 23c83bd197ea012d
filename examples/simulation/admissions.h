// The admission paradox of Berkeley's table of 1973: women were admitted less often than men overall, but only in two
// of the six departments.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "examples/population/population.h"
#include "hearsay/result.h"

namespace hearsay::examples {

// Returns the queries that a task must answer so that the aggregator can answer admission_measures(). The queries ask
// for the fractions of applicants and of admitted applicants, for women and for men, overall and in every department.
std::vector<std::string> admission_queries(const Population& population);

// Returns the measures for the admission rates of women and men and their difference, overall and by department.
std::vector<std::string> admission_measures();

// Returns a table of the rates with intervals beside the true rates, and sentences about what the intervals show.
// `answers` are the answers to admission_measures(), with simultaneous intervals. A rate without an answer is unknown.
Result<std::string> describe_admission_rates(const Population& population, const Json& answers);

}  // namespace hearsay::examples
