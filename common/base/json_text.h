// Writes JSON.
#pragma once

#include <string>

#include "common/base/json.h"

namespace hearsay {

// The document as text: on one line, or with members indented by `indent` spaces. Unlike Json::dump(), does not throw:
// U+FFFD stands for bytes that are not UTF-8.
std::string json_text(const Json& json, int indent = -1);

}  // namespace hearsay
