// A task's mechanism in words for those who know their data, and no mechanisms.
#pragma once

#include <string>

#include "aggregator/planner/candidates.h"
#include "hearsay/task.h"

namespace hearsay::cli {

// What each person is asked: "1 answer about 1 attribute (45%) or 2 (55%), as these queries need: in a random half of
// the values? or yes or no?".
std::string what_is_asked(const Task& task);

// The same where the planner found no such task; then less exactly.
std::string what_is_asked(const planner::Candidate& candidate);

}  // namespace hearsay::cli
