// Reads the rule of one attribute from JSON; see format.md.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "common/base/json.h"
#include "common/companion/rule.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay {

// Returns the rule, and the place of its attribute in the schema. `where` is the path of `value` in its document, for
// messages. Errors: kUnknownKey, kMissingKey, kWrongType, kInvalidArgument, kLimitExceeded.
Result<std::pair<std::size_t, Rule>> rule_from_json(const Schema& schema, const Json& value, const std::string& where);

}  // namespace hearsay
