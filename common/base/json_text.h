// Writes JSON.
#pragma once

#include <string>

#include "common/base/json.h"

namespace hearsay {

// Returns the document as text, on one line or with members indented by `indent` spaces. Does not throw, unlike
// Json::dump(): replaces bytes that are not UTF-8 by U+FFFD.
std::string json_text(const Json& json, int indent = -1);

}  // namespace hearsay
