// Turns an exception that a library threw into a message.
#pragma once

#include <exception>
#include <string>

namespace hearsay {

// Returns the exception's text. If the system refused a thread or memory, the text says so, and names the limits that
// may be too low.
std::string exception_text(const std::exception& exception);

}  // namespace hearsay
