// Says which names attributes may have, and how text shows these names.
#pragma once

#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay {

// Returns an error unless the text may name an attribute; see format.md. `what` begins the message, such as "the name
// of an attribute". Errors: kInvalidSchema.
Result<void> check_name(std::string_view name, std::string_view what);

// Returns an error unless the text is UTF-8 without control characters. Errors: kInvalidSchema.
Result<void> check_printable(std::string_view text, std::string_view what);

// Returns true if a query may hold the name without quotes. Such a name is a letter or underscore, followed by letters,
// digits or underscores (all ASCII), and is no word of the query language.
bool is_plain_name(std::string_view name);

// Returns the text in double quotes, with a backslash before each quote and backslash, as a query writes it.
std::string in_quotes(std::string_view text);

// Returns the name as queries and messages show it: a plain name as it stands, and any other name in quotes.
std::string shown_name(std::string_view name);

}  // namespace hearsay
