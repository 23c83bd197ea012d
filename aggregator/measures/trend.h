// Tests whether a measure changed from period to period.
#pragma once

#include <optional>
#include <span>

#include "aggregator/measures/answer.h"

namespace hearsay::measures {

// The result of a test of "no change". The statistic is Σ (value - mean)²/variance over the periods, where the mean is
// weighted by 1/variance. If nothing changed and values are approximately normal, the statistic has a χ² law. This
// needs independent errors, so people must report in one period each. The values are those of the people who reported
// in a period. So if other people report than before, this counts as change.
struct NoChange {
  double statistic;
  double degrees;  // the number of periods less one
  // The probability of a statistic at least as large, if nothing changed.
  double p;
};

// Returns nothing if fewer than two answers have a standard error above 0.
std::optional<NoChange> test_no_change(std::span<const Answer> answers);

}  // namespace hearsay::measures
