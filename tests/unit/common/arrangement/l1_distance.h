// Returns the L1 distance of two embeddings.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace hearsay {

inline std::uint64_t l1_distance(const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b) {
  std::uint64_t sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += static_cast<std::uint64_t>(std::abs(a[j] - b[j]));
  return sum;
}

}  // namespace hearsay
