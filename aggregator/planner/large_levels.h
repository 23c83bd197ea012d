// The dearest range, or prefix, of an attribute of many values that reports ask one parity of one level.
#pragma once

#include <optional>

#include "aggregator/planner/one_attribute.h"
#include "common/channel/questions.h"

namespace hearsay::planner {

// An indicator that no range of the attribute, or no prefix, exceeds in energy or score, if reports are about this
// attribute alone. Its values are those of one that comes near. Its mean is 0, from which every variance is largest.
// Nothing unless the questions ask each level alone, and a level at least half as often as the one below.
// `which`: kRanges or kPrefixes. Cost: the values times their bits; 0.1 s for 2^20.
std::optional<Indicator> dearest_by_levels(const Questions& questions, Indicators which);

}  // namespace hearsay::planner
