// Draws from elementary distributions exactly, without floating point. Given uniform bits, every probability below is
// exact.
#pragma once

#include <cstdint>

#include "common/random/bit_source.h"

namespace hearsay {

// The three functions throw EntropyError if the source does. Thread-safety: any thread, each with a source of its own.

// Returns a uniform number in {0, ..., n-1}; n = 0 stands for 2^64. Expected bytes: at most twice ceil(log2(n)/8).
std::uint64_t uniform_below(BitSource& source, std::uint64_t n);

// Returns true with probability min(1, num/den), for any 64-bit num and den. Expected bytes: at most 256/255.
bool bernoulli(BitSource& source, std::uint64_t num, std::uint64_t den);

// Returns true with probability exp(-num/den), for any 64-bit num and any den >= 1 (Canonne, Kamath, Steinke 2020,
// Algorithm 1). Expected bytes: below 6. The running time depends on the outcome.
bool bernoulli_exp_minus(BitSource& source, std::uint64_t num, std::uint64_t den);

}  // namespace hearsay
