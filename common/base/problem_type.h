// Names errors as problem documents do (RFC 9457).
#pragma once

#include <string>
#include <string_view>

#include "common/base/json.h"
#include "hearsay/error.h"

namespace hearsay {

// Returns the "type" of an error's document: "urn:hearsay:error:" and the error's name.
std::string problem_type(ErrorCode code);

// Returns the error's name in such a type. Returns an empty text for any other type, such as "about:blank", and for a
// name that is not 1 to 64 letters, digits, '_' and '-'. So a returned name is safe to print.
std::string_view problem_name(std::string_view type);

// Returns {"detail", "type"}: an error inside a larger document.
Json error_json(const Error& error);

}  // namespace hearsay
