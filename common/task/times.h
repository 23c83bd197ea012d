// Recognises times that were given in milliseconds.
#pragma once

#include "hearsay/clock.h"

namespace hearsay {

// Read as milliseconds since 1970, this number is 3 March 1973. Read as seconds, it is in the year 5138. So a time that
// is at least this number is probably in milliseconds.
inline constexpr UnixSeconds kLeastMilliseconds = 100'000'000'000;

inline bool looks_like_milliseconds(UnixSeconds time) { return time >= kLeastMilliseconds; }

}  // namespace hearsay
