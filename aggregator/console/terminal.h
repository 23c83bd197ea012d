// What is known of the terminal that a program writes to, or reads from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "hearsay/result.h"

namespace hearsay::console {

// How many columns the terminal has; nothing if the descriptor is no terminal, or does not say.
std::optional<std::size_t> terminal_columns(int descriptor);

// The text in red for the terminal of standard error. As it is elsewhere, and where NO_COLOR or TERM=dumb asks for
// that.
std::string in_red(const std::string& text);

// Asks for a secret on the terminal, which does not show what is typed. Without a terminal on standard input, reads all
// of that. Errors: kLimitExceeded (more than 4 KiB), kCancelled (the input ends at once).
Result<std::string> read_secret(const std::string& question);

}  // namespace hearsay::console
