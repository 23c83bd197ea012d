// Reads a bearer token as people store it.
#pragma once

#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay::console {

// Returns the bearer token in `text`. Skips a byte order mark, and white space around the token. Errors:
// kInvalidArgument (no token, several tokens, or a character that is not visible ASCII). The message names `source` and
// never shows the token.
Result<std::string> parse_bearer_token(std::string_view text, const std::string& source);

}  // namespace hearsay::console
