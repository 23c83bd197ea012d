// Bounds the error of an estimate from the channel `sampled`. The bounds hold for all records.
#pragma once

#include <span>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/estimator/sampled/sampled_view.h"
#include "aggregator/tails/chernoff.h"

namespace hearsay::estimator {

struct SampledBounds {
  double guaranteed_half_width;
  double influence;  // the influence of one report
};

// Returns the bounds for Σ_j g_j·m̂_j, where g has one number for each slot of the view. An interval of this half-width
// misses the truth with probability at most beta, which is in (0, 1). The proof is in sampled_bound.cc.
Result<SampledBounds> sampled_bounds(const SampledView& view, std::span<const double> g,
                                     const compiler::LinearQuery& query, std::uint64_t reports, double beta);

}  // namespace hearsay::estimator
