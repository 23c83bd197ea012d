// The parameters of a call, behind the '?'.
#pragma once

#include <initializer_list>
#include <map>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay::api {

using Parameters = std::map<std::string_view, std::string_view>;

// Reads a query string. Names and values stay as they were sent: `known` names need no escapes. Errors: kUnknownKey (a
// parameter that is not known; the message names it), kInvalidArgument (one that stands there twice).
Result<Parameters> parse_parameters(std::string_view query, std::initializer_list<std::string_view> known);

}  // namespace hearsay::api
