// The transform that correlates a function with all parities at once.
#pragma once

#include <cstddef>
#include <span>

namespace hearsay::examples {

// Replaces values[x], x in {0, 1}^d, by Σ_x (-1)^{r·x}·values[x] for each r. The size is a power of two. Cost: d·2^d.
template <class Number>
void walsh_hadamard(std::span<Number> values) {
  for (std::size_t half = 1; half < values.size(); half *= 2) {
    for (std::size_t block = 0; block < values.size(); block += 2 * half) {
      for (std::size_t i = block; i < block + half; ++i) {
        const Number even = values[i];
        values[i] = even + values[i + half];
        values[i + half] = even - values[i + half];
      }
    }
  }
}

}  // namespace hearsay::examples
