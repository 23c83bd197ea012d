// Names errors as problem documents do (RFC 9457).
#pragma once

#include <string>
#include <string_view>

#include "common/base/json.h"
#include "hearsay/error.h"

namespace hearsay {

// Returns the "type" of the problem document of an error: "urn:hearsay:error:" and the error's name.
std::string problem_type(ErrorCode code);

// Returns the error's name from a type that problem_type() made. Returns an empty text for any other type, such as
// "about:blank". A returned name has at most 64 letters, digits, '_' and '-', so the name is safe to print.
std::string_view problem_name(std::string_view type);

// Returns a JSON object that describes an error inside a larger document, with the members "detail" and "type".
Json error_json(const Error& error);

}  // namespace hearsay
