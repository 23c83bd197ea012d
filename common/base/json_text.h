// Writes JSON.
#pragma once

#include <string>

#include "common/base/json.h"

namespace hearsay {

// Returns the document as text: on one line, or with members indented by `indent` spaces if `indent` is 0 or more.
// Bytes that are not UTF-8 become U+FFFD; Json::dump() would throw.
std::string json_text(const Json& json, int indent = -1);

}  // namespace hearsay
