// A task's mechanism in words for those who know their data, and no mechanisms.
#pragma once

#include <string>

#include "hearsay/task.h"

namespace hearsay::cli {

// What each person is asked: "one yes/no answer about 1 or 2 attributes: is the value in a random half of all values?".
std::string what_is_asked(const Task& task);

}  // namespace hearsay::cli
