// Reads and writes a schema as part of a larger JSON document; see format.md.
#pragma once

#include <string>

#include "common/base/json.h"
#include "hearsay/schema.h"

namespace hearsay {

// Reads a schema. `where` is the path of `value` in its document ("schema"), for messages. Errors: kUnknownKey,
// kMissingKey, kWrongType, kInvalidSchema.
Result<Schema> schema_from_json(const Json& value, const std::string& where);

Json schema_to_json(const Schema& schema);

}  // namespace hearsay
