// Collects reports of groups with several generators, kRaw and kEven, by what they show of some attributes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/estimator/sampled/sampled_view.h"

namespace hearsay::estimator {

struct WidePatterns {
  // The patterns that cover a coordinate of the sets. An answer has one bit for each attribute; see SampledIndex::Part.
  std::vector<SampledView::Pattern> patterns;
  // For each class and each set of the attributes: how many reports there are, and which coordinate sets they cover.
  std::vector<SampledView::Block> blocks;
};

// Cost: some ten nanoseconds for each report that has one of the attributes. At most 24 attributes. Errors:
// kLimitExceeded (the attributes have more than 56 bits). Throws compiler::WorkStopped.
Result<WidePatterns> wide_patterns(const SampledIndex& index, std::span<const std::uint32_t> attributes,
                                   std::span<const CoordinateSet> sets, compiler::Work& work);

}  // namespace hearsay::estimator
