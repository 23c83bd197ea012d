// Reads the query parameters of a call: the part of the address behind the '?'.
#pragma once

#include <initializer_list>
#include <map>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay::api {

using Parameters = std::map<std::string_view, std::string_view>;

// Reads a query string. Names and values stay as they were sent, so `known` must name parameters that need no escapes.
// Errors: kUnknownKey (an unknown parameter; the message names it), kInvalidArgument (a repeated parameter).
Result<Parameters> parse_parameters(std::string_view query, std::initializer_list<std::string_view> known);

}  // namespace hearsay::api
