// Reads the command's input, and makes texts safe to print on a terminal.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay::sdk {

// Reads all of a stream, at most 8 MiB; `name` is for the message. Errors: kIo (a directory, for example),
// kLimitExceeded.
Result<std::string> read_all(std::istream& in, const std::string& name);

// Replaces each control character except line breaks by '?', so that no text of a server can control the terminal.
// Control characters are U+0000 to U+001F and U+007F to U+009F.
std::string printable(std::string_view text);

}  // namespace hearsay::sdk
