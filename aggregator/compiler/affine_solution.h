// Finds queries that are affine functions of the vectors that a task lists.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/compiler/work.h"
#include "common/arrangement/explicit.h"

namespace hearsay::compiler {

// Returns the weights g that minimise Σ_x (c + ⟨u_x,g⟩ - f(x))² over all M records x. Here u_x is the vector of x, with
// d entries, c is the best constant, and f is the query. Of several such g, returns the g of least norm. `truth` has
// f(x) for every record x; both 0 and 1 must occur. The caller must check whether c + ⟨u_x,g⟩ equals f(x) for every x.
// Returns nothing if M and d both exceed kMaxSolved. Throws WorkStopped. Cost: about M·d·min(M, d)/4 steps.
std::optional<std::vector<double>> affine_solution(const std::vector<std::uint8_t>& truth, const Explicit& vectors,
                                                   Work& work);

}  // namespace hearsay::compiler
