// Asks a person before something is done that cannot be undone.
#pragma once

#include <string>

#include "hearsay/result.h"

namespace hearsay::console {

// Asks the question on the terminal and returns nothing if the answer is "yes". Errors: kCancelled for another answer;
// kInvalidArgument if there is no terminal to ask on, then the message names `flag`, which stands for the answer.
Result<void> confirm(const std::string& question, const std::string& flag);

}  // namespace hearsay::console
