// The bytes that an author signs.
#pragma once

#include <string>

namespace hearsay {

// The first line marks the text as a list of tasks. So a signature of another kind of text by the same key is not a
// signature of a list.
inline std::string signed_text(const std::string& contents) { return "hearsay task list v1\n" + contents; }

}  // namespace hearsay
