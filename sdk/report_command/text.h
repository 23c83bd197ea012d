// What the command reads, and what it lets reach a terminal.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay::sdk {

// Reads all of a stream, at most 8 MiB; `name` is for the message. Errors: kIo (a directory, for example),
// kLimitExceeded.
Result<std::string> read_all(std::istream& in, const std::string& name);

// The text with '?' for each control character but line breaks, so that no text of a server acts on a terminal.
// Control characters are those below U+0020 and those from U+007F to U+009F.
std::string printable(std::string_view text);

}  // namespace hearsay::sdk
