// Asks for secrets on the terminal, colours errors, and finds out how wide the terminal is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "hearsay/result.h"

namespace hearsay::console {

// Returns how many columns the terminal has. Returns nothing if the descriptor is no terminal, or if its width is
// unknown.
std::optional<std::size_t> terminal_columns(int descriptor);

// Returns the text in red if standard error is a terminal that shows colours. Otherwise, or if NO_COLOR is set, returns
// the text unchanged.
std::string in_red(const std::string& text);

// Asks for a secret on the terminal, which does not show the typed text. If standard input is no terminal, reads all of
// standard input instead. Errors: kIo (the terminal cannot hide what is typed), kLimitExceeded (standard input is no
// terminal, and has more than 4 KiB), kCancelled (the person ends the input at once).
Result<std::string> read_secret(const std::string& question);

}  // namespace hearsay::console
