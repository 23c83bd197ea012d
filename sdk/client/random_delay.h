// Draws the delay before a background flush.
#pragma once

#include "common/random/bit_source.h"
#include "hearsay/background_flush.h"

namespace hearsay::sdk {

// The result is in nanoseconds, because a delay of whole milliseconds would leave a trace of the time that submit()
// took. A span above ten years counts as ten years. Throws EntropyError.
std::chrono::nanoseconds draw_delay(const RandomDelay& delay, BitSource& bits);

}  // namespace hearsay::sdk
