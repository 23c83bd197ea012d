// The law of the error of an estimate from `sampled`.
#pragma once

#include <cstddef>
#include <span>

#include "aggregator/estimator/error_law.h"
#include "aggregator/estimator/sampled/sampled_view.h"

namespace hearsay::estimator {

// Returns the law for Σ g_j·m̂_j, with g for each slot. At most 64 groups, whose answers move the value by more than a
// tenth of a standard error, are described one by one; all else counts as normal. `is_all`: the
// value has no other error than the noise and the choice of who was asked. `moved`: people moved in the group of this
// rank, see ErrorLaw::add_answers(). Rank 0 has the answers that move the value most.
struct MovedPeople {
  int count = 0;
  std::size_t rank = 0;
};
ErrorLaw sampled_error_law(const SampledView& view, std::span<const double> g, double variance, double reports,
                           bool is_all, MovedPeople moved);

}  // namespace hearsay::estimator
