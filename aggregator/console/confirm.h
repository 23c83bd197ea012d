// Asks a person before the program does something that cannot be undone.
#pragma once

#include <string>

#include "hearsay/result.h"

namespace hearsay::console {

// Asks the question on the terminal. Succeeds if the answer is "yes". Errors: kCancelled for another answer,
// kInvalidArgument if there is no terminal. Without a terminal, the message names `flag`, the option that
// confirms in place of an answer.
Result<void> confirm(const std::string& question, const std::string& flag);

}  // namespace hearsay::console
