// Reads JSON documents that another program wrote.
#pragma once

#include "common/base/strict_json.h"
#include "hearsay/result.h"

namespace hearsay {

// Calls `read` and returns its Result. `read` may assume that documents have the members it wants. If a document lacks
// a member, or the member has another type, the JSON library's exception becomes the error kWrongType.
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
