// Bounds the variance of all ranges, or of all prefixes, of an attribute with many values, if each report asks one
// parity of one level.
#pragma once

#include <optional>

#include "aggregator/planner/one_attribute.h"
#include "common/channel/questions.h"

namespace hearsay::planner {

// Returns an indicator whose energy and score no range (or prefix) of the attribute exceeds. Reports must be about this
// attribute alone. The values in the indicator are those of a range that comes near the bound. The indicator's mean is
// 0, since a mean of 0 makes every variance largest. Returns nothing unless the questions ask each level alone, and
// each level at least half as often as the level below. `which` is kRanges or kPrefixes. The cost grows with the number
// of values times their bits; 2^20 values take about 0.1 s.
std::optional<Indicator> dearest_by_levels(const Questions& questions, Indicators which);

}  // namespace hearsay::planner
