// Computes contingency tables and coordinates' means from the channel `sampled`, if reports ask questions other than
// parities of one bit.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/estimator/questions/question_index.h"
#include "aggregator/estimator/table.h"

namespace hearsay::estimator {

// These functions implement Estimator::table() and means(). Both functions throw compiler::WorkStopped.
Result<TableNumbers> question_table(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                    compiler::Work& work);
Result<CoordinateMeans> question_means(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                       compiler::Work& work);

}  // namespace hearsay::estimator
