// Exact elementary samplers. No floating point; every probability below is met exactly, given uniform bits.
#pragma once

#include <cstdint>

#include "common/random/bit_source.h"

namespace hearsay {

// All three throw EntropyError when the source does, and may be called from many threads with a source each.

// Uniform on {0, ..., n-1}; n = 0 stands for 2^64. Expected bytes: below twice ceil(log2(n)/8).
std::uint64_t uniform_below(BitSource& source, std::uint64_t n);

// True with probability min(1, num/den), for any 64-bit num and den. Expected bytes: 256/255.
bool bernoulli(BitSource& source, std::uint64_t num, std::uint64_t den);

// True with probability exp(-num/den), for any 64-bit num and any den >= 1 (Canonne, Kamath, Steinke 2020, Algorithm
// 1). Expected bytes: below 6. The running time depends on the outcome.
bool bernoulli_exp_minus(BitSource& source, std::uint64_t num, std::uint64_t den);

}  // namespace hearsay
