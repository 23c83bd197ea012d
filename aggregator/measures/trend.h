// Tests whether a measure changed from period to period.
#pragma once

#include <optional>
#include <span>

#include "aggregator/measures/answer.h"

namespace hearsay::measures {

// The result of a test whether a value changed. The statistic is Σ (value - mean)²/variance over the periods with a
// variance above 0, where the mean is weighted by 1/variance. If nothing changed and values are approximately normal,
// the statistic has a χ² law. The errors must be independent, so each person must report in one period only. Each value
// is that of the people who reported in the period. So a difference between the people of two periods counts as change.
struct NoChange {
  double statistic;
  double degrees;  // the number of periods with a variance above 0, less one
  // The probability of a statistic at least as large, if nothing changed.
  double p;
};

// Returns nothing if fewer than two answers have a standard error above 0.
std::optional<NoChange> test_no_change(std::span<const Answer> answers);

}  // namespace hearsay::measures
