// How often randomized response may tell the truth.
#pragma once

#include <cstdint>

#include "hearsay/epsilon.h"

namespace hearsay {

// Randomized response gives the true one of K = `values` values with probability γ, and otherwise one of all K values,
// uniformly. Randomized response is ε-locally private if and only if γ <= (e^ε-1)/(e^ε+K-1). Returns this bound times
// 2^64, rounded down: not above the exact number, at most 2 below, and less than 2^64. Uses integers only, so the
// result is equal on all machines. 2 <= values <= 2^16. (Warner 1965 for K = 2; Kairouz, Bonawitz, Ramage 2016.)
std::uint64_t truth_in_2_to_64(const Epsilon& epsilon, std::uint32_t values);

}  // namespace hearsay
