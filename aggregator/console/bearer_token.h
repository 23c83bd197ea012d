// Reads a bearer token as people store it.
#pragma once

#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay::console {

// Returns the bearer token in `text`. White space around the token and a byte order mark before it are skipped. Errors:
// kInvalidArgument if there is no token, or a character that cannot be sent. The message names `source` and never shows
// the token.
Result<std::string> parse_bearer_token(std::string_view text, const std::string& source);

}  // namespace hearsay::console
