// Tests whether a measure changed from period to period.
#pragma once

#include <optional>
#include <span>

#include "aggregator/measures/answer.h"

namespace hearsay::measures {

// A test of "no change": Σ (value - mean)²/variance over the periods, with the mean weighted by 1/variance. If nothing
// changed and values are about normal, this is χ² distributed: people report in one period each, so the periods' errors
// are independent. The values are those of the people who reported in a period. So other people than before count as
// change.
struct NoChange {
  double statistic;
  double degrees;  // one less than the periods
  // The probability, if nothing changed, of such a statistic or a larger one.
  double p;
};

// Returns nothing if fewer than two answers have a standard error above 0.
std::optional<NoChange> test_no_change(std::span<const Answer> answers);

}  // namespace hearsay::measures
