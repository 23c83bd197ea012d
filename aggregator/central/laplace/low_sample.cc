#include "aggregator/central/laplace/low_sample.h"

#include "common/base/try.h"

namespace hearsay::central {

Result<Rational> sensitivity_bound(const SampleComplexity& complexity) {
  HEARSAY_TRY(const Rational sum, whole(1).plus(complexity.read_probability));
  HEARSAY_TRY(const Rational needed, sum.divided_by(whole(2)));
  if (complexity.success <= needed || complexity.success > whole(1)) {
    return Error{ErrorCode::kInvalidArgument,
                 "the algorithm must succeed with a probability strictly above (1 + α)/2 and at most 1"};
  }
  if (complexity.error.num() == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "the error must be above 0; with an error of 0 the function would be constant"};
  }
  return whole(2).times(complexity.error);
}

Result<RealLaplace> low_sample_mechanism(const Epsilon& epsilon, const SampleComplexity& complexity,
                                         std::size_t dimension, const BinaryGrid& grid) {
  HEARSAY_TRY(const Rational sensitivity, sensitivity_bound(complexity));
  return RealLaplace::create(epsilon, sensitivity, dimension, grid, Neighbours::kReplaceOne);
}

}  // namespace hearsay::central
