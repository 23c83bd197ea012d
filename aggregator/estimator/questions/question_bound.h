// Bounds on the error of an estimate from a QuestionView that hold whatever the records are.
#pragma once

#include <cstdint>

#include "aggregator/estimator/questions/question_view.h"

namespace hearsay::estimator {

struct QuestionBounds {
  double guaranteed_half_width;
  double influence;  // of one report
};

// Returns the bounds. The interval misses the truth with probability at most beta, which is in (0, 1). The proof is in
// the .cc.
Result<QuestionBounds> question_bounds(const QuestionView& view, std::uint64_t reports, double beta,
                                       compiler::Work& work);

}  // namespace hearsay::estimator
