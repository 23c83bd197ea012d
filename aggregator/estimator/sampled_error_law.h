// The law of the error of an estimate from `sampled`.
#pragma once

#include <cstddef>
#include <span>

#include "aggregator/estimator/error_law.h"
#include "aggregator/estimator/sampled/sampled_view.h"

namespace hearsay::estimator {

// Of Σ g_j·m̂_j, g per slot: answers that move it by more than a tenth of a standard error are described by group, at
// most 64 groups, and all else as if it were normal. `is_all`: the noise and who was asked are the only error.
// `moved`: see ErrorLaw::add_answers(), for the group of that rank: 0 is the one whose answers move the value most.
struct MovedPeople {
  int count = 0;
  std::size_t rank = 0;
};
ErrorLaw sampled_error_law(const SampledView& view, std::span<const double> g, double variance, double reports,
                           bool is_all, MovedPeople moved);

}  // namespace hearsay::estimator
