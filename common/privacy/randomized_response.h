// How often randomized response may tell the truth.
#pragma once

#include <cstdint>

#include "hearsay/epsilon.h"

namespace hearsay {

// Answer with the true one of K values with probability γ, and otherwise with one of all K, uniformly. This is
// ε-locally private iff γ <= (e^ε-1)/(e^ε+K-1). Returns that bound times 2^64, rounded down: never too large, at most 2
// too small, below 2^64. In integers only, equal on all machines. 2 <= values <= 2^16. (Warner 1965 for K = 2; Kairouz,
// Bonawitz, Ramage 2016.)
std::uint64_t truth_in_2_to_64(const Epsilon& epsilon, std::uint32_t values);

}  // namespace hearsay
