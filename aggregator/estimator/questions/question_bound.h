// Bounds the error of an estimate from a QuestionView. The bounds hold for all records.
#pragma once

#include <cstdint>

#include "aggregator/estimator/questions/question_view.h"

namespace hearsay::estimator {

struct QuestionBounds {
  double guaranteed_half_width;
  double influence;  // the influence of one report
};

// Returns the bounds. An interval of this half-width misses the truth with probability at most beta, which is in (0,
// 1). The proof is in question_bound.cc.
Result<QuestionBounds> question_bounds(const QuestionView& view, std::uint64_t reports, double beta,
                                       compiler::Work& work);

}  // namespace hearsay::estimator
