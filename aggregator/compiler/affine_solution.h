// Queries that are affine functions of the vectors that a task lists.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/compiler/work.h"
#include "common/arrangement/explicit.h"

namespace hearsay::compiler {

// Returns the weights g of least norm that minimise Σ_x (c + ⟨u_x,g⟩ - f(x))² over all records, with the best constant
// c. The caller must check whether c + ⟨u_x,g⟩ is f itself. Returns nothing if there are more than kMaxSolved records
// and more than kMaxSolved dimensions. Neither class may be empty. Throws WorkStopped. Cost: M·d·min(M, d)/4.
std::optional<std::vector<double>> affine_solution(const std::vector<std::uint8_t>& truth, const Explicit& vectors,
                                                   Work& work);

}  // namespace hearsay::compiler
