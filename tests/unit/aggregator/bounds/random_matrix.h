#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "aggregator/bounds/sign_matrix.h"

namespace hearsay::tests {

// Returns a matrix whose entries are 1 with the given probability. Standard distributions would make different draws
// with different libraries.
inline bounds::SignMatrix random_matrix(std::mt19937_64& generator, std::size_t rows, std::size_t columns,
                                        double probability = 0.5) {
  std::vector<std::int8_t> entries;
  for (std::size_t i = 0; i < rows * columns; ++i) {
    entries.push_back(static_cast<double>(generator() >> 11U) * 0x1p-53 < probability ? 1 : -1);
  }
  return bounds::SignMatrix::create(rows, columns, entries).value();
}

}  // namespace hearsay::tests
