// Bounds the dearest range, or prefix, of an attribute with many values, if each report asks one parity of one level.
#pragma once

#include <optional>

#include "aggregator/planner/one_attribute.h"
#include "common/channel/questions.h"

namespace hearsay::planner {

// Returns an indicator whose energy and score no range of the attribute, or no prefix, exceeds. Reports must be about
// this attribute alone. The values in the indicator are those of a range that comes near the bound. Its mean is 0, at
// which every variance is largest. Returns nothing unless the questions ask each level alone, and no level less than
// half as often as the level below. `which` is kRanges or kPrefixes. Cost: the values times their bits; 0.1 s for 2^20
// values.
std::optional<Indicator> dearest_by_levels(const Questions& questions, Indicators which);

}  // namespace hearsay::planner
