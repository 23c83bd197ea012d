// Draws the delay before a background flush.
#pragma once

#include "common/random/bit_source.h"
#include "hearsay/background_flush.h"

namespace hearsay::sdk {

// Returns a delay of the law, in nanoseconds: whole milliseconds would leave the part of a millisecond that submit()
// took to be seen. A span above ten years counts as ten years. Throws EntropyError.
std::chrono::nanoseconds draw_delay(const RandomDelay& delay, BitSource& bits);

}  // namespace hearsay::sdk
