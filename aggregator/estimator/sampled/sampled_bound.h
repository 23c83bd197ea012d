// Bounds that hold whatever the records are.
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

// For Σ g_j·m̂_j, g per slot. See the .cc for the proof. beta in (0, 1).
Result<SampledBounds> sampled_bounds(const SampledView& view, std::span<const double> g,
                                     const compiler::LinearQuery& query, std::uint64_t reports, double beta);

}  // namespace hearsay::estimator
