// Reads JSON documents that another program wrote.
#pragma once

#include "common/base/strict_json.h"
#include "hearsay/result.h"

namespace hearsay {

// Calls `read` and returns the Result of `read`. `read` may use members of documents unchecked: if a member is missing
// or has another type, the JSON library throws, and guard_json() returns the error kWrongType.
template <class Read>
auto guard_json(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const Json::exception&) {
    return Error{ErrorCode::kWrongType,
                 "a JSON document has another form than this program expects: check that the aggregator has the same "
                 "version, and that no other program answers in its place"};
  }
}

}  // namespace hearsay
