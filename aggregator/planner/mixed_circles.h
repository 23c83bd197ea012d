// Plans half-circles for several classes of functions of one attribute at once: ranges, prefixes and the mean.
#pragma once

#include <cstdint>
#include <optional>

#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// The weights of the classes of functions. The variances are for answers that are always true. A weight of 0 leaves a
// class out.
struct MixedClasses {
  double ranges = 0;    // multiplies the variances of all ranges
  double prefixes = 0;  // multiplies the variances of all prefixes
  double mean = 0;      // multiplies the variance of the mean, in units of the span
};
struct MixedCircle {
  CircleQuestions questions;
  double worst;        // the largest weighted variance, before the weights of multipliers become integers
  double lower_bound;  // no weights of these half-circles give a smaller `worst`
};

// Let J be the number of values. On a circle of 2J places, the even multipliers act like the multipliers of a circle of
// J places, and are good for ranges. The odd multipliers are good for prefixes, and the multiplier 1 for the mean. With
// all multipliers, the weights can balance the three classes. Even a workload of prefixes alone takes up to a tenth
// fewer users than with odd multipliers only.
//
// For up to 96 values the search stops within 0.8 % of the lower bound, or after 600 steps. For more values the search
// extends the weights of 96 values, and improves these weights by fewer steps, of cost J³ each. The result may then be
// far from the bound. `values` is from 3 to kMostMixedValues. Some weight must be positive.
inline constexpr std::uint32_t kMostMixedValues = 512;
MixedCircle plan_mixed_circle(std::uint32_t values, const MixedClasses& classes);

// Returns groups that ask about each integer range alone, by half-circles on circles of 2J places. The groups ask more
// often about an integer range with a larger variance. Returns nothing if the workload holds other classes than ranges,
// prefixes and means. Returns nothing, too, if the workload holds only ranges, or if an integer range has fewer than 3
// or more than kMostMixedValues values.
std::optional<SampledSpec> mixed_circles(const Schema& schema, const Workload& workload);

}  // namespace hearsay::planner
