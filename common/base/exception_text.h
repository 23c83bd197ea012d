// What to tell of an exception that a library threw.
#pragma once

#include <exception>
#include <string>

namespace hearsay {

// If the system refused a thread or memory, names which, and the limits that may be too low. Otherwise the exception's
// own text.
std::string exception_text(const std::exception& exception);

}  // namespace hearsay
