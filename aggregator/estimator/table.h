// Computes contingency tables from the channels `laplace` and `sampled`, on `characters`.
#pragma once

#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/laplace_estimate.h"
#include "aggregator/estimator/sampled/sampled_index.h"

namespace hearsay::estimator {

struct TableNumbers {
  std::vector<double> values;
  std::vector<double> variances;
};

// These functions implement Estimator::table(). `attributes` must ascend, and must have from 1 to order() elements.
// Both functions throw compiler::WorkStopped.
Result<TableNumbers> laplace_table(const Task& task, const LaplaceSums& sums, std::span<const std::uint32_t> attributes,
                                   compiler::Work& work);
Result<TableNumbers> sampled_table(const SampledIndex& index, std::span<const std::uint32_t> attributes,
                                   compiler::Work& work);

}  // namespace hearsay::estimator
