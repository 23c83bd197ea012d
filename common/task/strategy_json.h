// Reads and writes the channel `strategy` in the task document, see format.md.
#pragma once

#include "common/base/strict_json.h"
#include "hearsay/mechanism.h"

namespace hearsay {

// Reads the channel. StrategyChannel::create(), not this function, checks that the entries make a channel. Errors:
// kMissingKey, kUnknownKey, kWrongType, kInvalidTask (the number of outputs; a matrix that is not unpadded base64url of
// whole entries), kLimitExceeded.
Result<ChannelSpec> strategy_from_json(const ObjectReader& reader);
Json strategy_to_json(const StrategySpec& spec);

}  // namespace hearsay
