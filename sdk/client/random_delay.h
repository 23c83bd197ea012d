// Draws the delay before a background flush.
#pragma once

#include "common/random/bit_source.h"
#include "hearsay/background_flush.h"

namespace hearsay::sdk {

// Returns a delay of the law, in whole milliseconds. Throws EntropyError.
std::chrono::milliseconds draw_delay(const RandomDelay& delay, BitSource& bits);

}  // namespace hearsay::sdk
