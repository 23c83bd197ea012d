#include "common/base/json_text.h"

#include "common/base/strict_json.h"

namespace hearsay {

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace hearsay
