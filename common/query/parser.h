// Parses text to a syntax tree; see format.md.
#pragma once

#include <string_view>

#include "hearsay/query.h"

namespace hearsay::query {

// Parses as Query::parse() does, but checks neither the size of the tree nor the length of the printed form.
Result<Query> parse_text(const Schema& schema, std::string_view text);

}  // namespace hearsay::query
