// Times that somebody gave in milliseconds.
#pragma once

#include "hearsay/clock.h"

namespace hearsay {

// Milliseconds since 1970 of any moment after 3 March 1973 are at least this many. As seconds they would lie in or
// after the year 5138, where nobody means to be.
inline constexpr UnixSeconds kLeastMilliseconds = 100'000'000'000;

inline bool looks_like_milliseconds(UnixSeconds time) { return time >= kLeastMilliseconds; }

}  // namespace hearsay
