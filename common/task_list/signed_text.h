// The bytes that an author signs.
#pragma once

#include <string>

namespace hearsay {

// The first line keeps a signature under something else by the same key from being taken for that of a list.
inline std::string signed_text(const std::string& contents) { return "hearsay task list v1\n" + contents; }

}  // namespace hearsay
