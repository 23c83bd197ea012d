// Describes a task's mechanism to people who do not know mechanisms.
#pragma once

#include <string>
#include <string_view>

#include "aggregator/planner/candidates.h"
#include "hearsay/task.h"

namespace hearsay::cli {

// Returns a text that says what each person is asked, such as "1 answer about 1 attribute (45%) or 2 (55%), as these
// queries need: is your value in a random half of the values? or yes or no?".
std::string what_is_asked(const Task& task);

// Returns the same text for a candidate. The text is less exact if the planner made no task for the candidate.
std::string what_is_asked(const planner::Candidate& candidate);

// The assumption of an average-case answer, as a text to follow "average-case: ".
inline constexpr std::string_view kAverageCase =
    "right only if all records that satisfy a query are equally common, and so are all records that fail it. With "
    "`hearsay estimate --sample`, records in each of these two groups must instead be as common as in the public "
    "sample. Real people rarely are like that. For other people the answers can be wrong by more than the stated "
    "error, with any number of users.";

}  // namespace hearsay::cli
