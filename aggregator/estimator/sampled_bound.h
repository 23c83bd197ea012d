// Bounds that hold whatever the records are.
#pragma once

#include <span>

#include "aggregator/tails/chernoff.h"
#include "aggregator/estimator/sampled_view.h"
#include "common/arrangement/linear_query.h"

namespace hearsay::aggregator {

struct SampledBounds {
  double guaranteed_half_width;
  double influence;  // of one report
};

// For Σ g_j·m̂_j, g per slot. See the .cc for the proof. beta in (0, 1).
Result<SampledBounds> sampled_bounds(const SampledView& view, std::span<const double> g, const LinearQuery& query,
                                     std::uint64_t reports, double beta);

}  // namespace hearsay::aggregator
