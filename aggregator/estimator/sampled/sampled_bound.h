// Bounds on the error of an estimate from `sampled` that hold whatever the records are.
#pragma once

#include <span>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/estimator/sampled/sampled_view.h"
#include "aggregator/tails/chernoff.h"

namespace hearsay::estimator {

struct SampledBounds {
  double guaranteed_half_width;
  double influence;  // of one report
};

// Returns the bounds for Σ g_j·m̂_j, with g for each slot; see the .cc for the proof. beta is in (0, 1).
Result<SampledBounds> sampled_bounds(const SampledView& view, std::span<const double> g,
                                     const compiler::LinearQuery& query, std::uint64_t reports, double beta);

}  // namespace hearsay::estimator
