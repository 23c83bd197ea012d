// What to do about an error.
#pragma once

#include <string>

#include "hearsay/error.h"

namespace hearsay::cli {

// One sentence, or nothing where the error's own message says it.
std::string advice(const Error& error);

}  // namespace hearsay::cli
