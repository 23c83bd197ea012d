// Computes the law of the error of an estimate from the channel `sampled`.
#pragma once

#include <cstddef>
#include <span>

#include "aggregator/estimator/error_law.h"
#include "aggregator/estimator/sampled/sampled_view.h"

namespace hearsay::estimator {

// The number of people who change their answer in one group; see ErrorLaw::add_answers(). The answers of the group of
// rank 0 move the value most.
struct MovedPeople {
  int count = 0;
  std::size_t rank = 0;
};
// Returns the law of the error of Σ_j g_j·m̂_j. `g` has one number for each slot of the view. The law describes at most
// 64 groups one by one: those that have at most 2^8 answers, and whose answers move the value by more than a tenth of a
// standard error. All other errors count as normal. `is_all` is true if the value has no errors other than the noise
// and the draw of who is asked which question.
ErrorLaw sampled_error_law(const SampledView& view, std::span<const double> g, double variance, double reports,
                           bool is_all, MovedPeople moved);

}  // namespace hearsay::estimator
