// Bounds on the error of an estimate from a QuestionView that hold whatever the records are.
#pragma once

#include <cstdint>

#include "aggregator/estimator/questions/question_view.h"

namespace hearsay::estimator {

struct QuestionBounds {
  double guaranteed_half_width;
  double influence;  // of one report
};

// Returns the bounds; see the .cc for the proof. beta is in (0, 1).
Result<QuestionBounds> question_bounds(const QuestionView& view, std::uint64_t reports, double beta,
                                       compiler::Work& work);

}  // namespace hearsay::estimator
