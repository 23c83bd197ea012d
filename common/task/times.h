// Recognises times that were given in milliseconds.
#pragma once

#include "hearsay/clock.h"

namespace hearsay {

// Any moment after 3 March 1973, in milliseconds since 1970, is at least this number. As seconds this is in the year
// 5138, which nobody means.
inline constexpr UnixSeconds kLeastMilliseconds = 100'000'000'000;

inline bool looks_like_milliseconds(UnixSeconds time) { return time >= kLeastMilliseconds; }

}  // namespace hearsay
