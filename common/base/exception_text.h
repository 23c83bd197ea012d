// What to tell about an exception that a library threw.
#pragma once

#include <exception>
#include <string>

namespace hearsay {

// Returns the exception's text. If the system refused a thread or memory, names this and the limits that may be too
// low.
std::string exception_text(const std::exception& exception);

}  // namespace hearsay
