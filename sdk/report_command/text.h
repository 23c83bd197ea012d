// Reads the command's input, and makes texts safe to print on a terminal.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay::sdk {

// Reads a whole stream of at most 8 MiB. Messages name the stream as `name`. Errors: kIo (for example, the stream is a
// directory), kLimitExceeded.
Result<std::string> read_all(std::istream& in, const std::string& name);

// Replaces each control character except line breaks by '?', so that a server's text cannot control the terminal.
// Control characters are U+0000 to U+001F and U+007F to U+009F.
std::string printable(std::string_view text);

}  // namespace hearsay::sdk
