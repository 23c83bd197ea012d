// Reports of the groups with several generators, kRaw and kEven, collected by what they show of some attributes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/estimator/sampled/sampled_view.h"

namespace hearsay::estimator {

struct WidePatterns {
  // Those that cover a coordinate of the sets. Bits of an answer: one per attribute, see SampledIndex::Part.
  std::vector<SampledView::Pattern> patterns;
  // How many reports a class has with each set of the attributes, and the coordinate sets that they cover.
  std::vector<SampledView::Block> blocks;
};

// Cost: some ten nanoseconds a report that has one of the attributes, of which there may be 24.
// Errors: kLimitExceeded beyond 56 bits of them. Throws compiler::WorkStopped.
Result<WidePatterns> wide_patterns(const SampledIndex& index, std::span<const std::uint32_t> attributes,
                                   std::span<const CoordinateSet> sets, compiler::Work& work);

}  // namespace hearsay::estimator
