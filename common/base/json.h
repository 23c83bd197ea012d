// Declares the type Json for headers. A file that makes or reads JSON also includes strict_json.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace hearsay {

using Json = nlohmann::json;

}  // namespace hearsay
