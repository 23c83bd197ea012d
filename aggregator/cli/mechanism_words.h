// A task's mechanism in words for those who know their data, and no mechanisms.
#pragma once

#include <string>

#include "hearsay/task.h"

namespace hearsay::cli {

// What each person is asked: "1 answer about 1 attribute (45%) or 2 (55%), as these queries need: in a random half of
// the values? or yes or no?".
std::string what_is_asked(const Task& task);

}  // namespace hearsay::cli
