// Queries that are affine functions of the vectors that a task lists.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/compiler/work.h"
#include "common/arrangement/explicit.h"

namespace hearsay::compiler {

// The g of least norm for which c + ⟨u_x,g⟩ is nearest to f(x) over all records, with the best constant c: a least
// squares solution. Whether it is f itself is for the caller to see. Nothing if records and dimensions are both more
// than kMaxSolved. Neither class is empty. Throws WorkStopped. Cost: M·d·min(M, d)/4.
std::optional<std::vector<double>> affine_solution(const std::vector<std::uint8_t>& truth, const Explicit& vectors,
                                                   Work& work);

}  // namespace hearsay::compiler
