// Parses text to a syntax tree; see format.md.
#pragma once

#include <string_view>

#include "hearsay/query.h"

namespace hearsay::query {

// Does what Query::parse() does, but does not check the size of the resulting tree.
Result<Query> parse_text(const Schema& schema, std::string_view text);

}  // namespace hearsay::query
