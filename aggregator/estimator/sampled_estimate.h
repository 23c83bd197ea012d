// Estimates from the channel `sampled`.
#pragma once

#include <span>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/estimator/sampled/sampled_index.h"

namespace hearsay::estimator {

// Answers a query; see Estimator::estimate(). All three functions throw compiler::WorkStopped.
Result<Estimate> sampled_estimate(const SampledIndex& index, const compiler::LinearQuery& query, double confidence,
                                  compiler::Work& work);

// These two functions estimate the means of the coordinates on exactly these attributes, or of one attribute's
// literals.
Result<CoordinateMeans> sampled_means_on_characters(const SampledIndex& index,
                                                    std::span<const std::uint32_t> attributes, compiler::Work& work);
Result<CoordinateMeans> sampled_means_on_literals(const SampledIndex& index, std::uint32_t attribute,
                                                  compiler::Work& work);

}  // namespace hearsay::estimator
