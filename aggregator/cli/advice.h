// Says what a user can do about an error.
#pragma once

#include <string>

#include "hearsay/error.h"

namespace hearsay::cli {

// Returns one sentence, or nothing if the error's own message already says what to do.
std::string advice(const Error& error);

}  // namespace hearsay::cli
