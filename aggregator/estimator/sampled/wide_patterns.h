// Counts the reports of groups with several generators (kinds kRaw and kEven), by the bits of their answers about given
// attributes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/estimator/sampled/sampled_view.h"

namespace hearsay::estimator {

struct WidePatterns {
  // The patterns that cover a coordinate of some set. An answer has one bit for each attribute; see SampledIndex::Part.
  std::vector<SampledView::Pattern> patterns;
  // For each class of groups and each set of the attributes: the number of reports, and the coordinate sets that they
  // cover.
  std::vector<SampledView::Block> blocks;
};

// Cost: proportional to the entries that have one of the attributes, or to all entries without
// SampledIndex::has_parts(). There may be at most 24 attributes. Errors: kLimitExceeded (the attributes have more than
// 56 bits, or too many for the number of classes). Throws compiler::WorkStopped.
Result<WidePatterns> wide_patterns(const SampledIndex& index, std::span<const std::uint32_t> attributes,
                                   std::span<const CoordinateSet> sets, compiler::Work& work);

}  // namespace hearsay::estimator
