// Half-circles for several classes of functions of one attribute at once: ranges, prefixes and the mean.
#pragma once

#include <cstdint>
#include <optional>

#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// The largest variance of some functions of one attribute, for answers that are always true. Weights that are 0 leave
// the class out.
struct MixedClasses {
  double ranges = 0;    // weight of the variances of all ranges
  double prefixes = 0;  // of all prefixes
  double mean = 0;      // of the mean, as a part of the span
};
struct MixedCircle {
  CircleQuestions questions;
  double worst;        // the largest weighted variance, before the weights of multipliers become integers
  double lower_bound;  // no weights of these half-circles have less
};

// On a circle of 2J places the even multipliers are those of a circle of J places, which are good for ranges; the odd
// ones are good for prefixes, and the multiplier 1 for the mean. With all of them, what ranges, prefixes and the mean
// need is weighed against each other, and a function is split between the two kinds as is best: prefixes alone take up
// to a tenth less than with odd multipliers. Stops within 0.8 % of the lower bound for up to 96 values. For more, the
// weights of 96 values are continued and improved by a few steps of J³ each, and the bound may be far.
// `values`: from 3 to kMostMixedValues. Some weight is positive.
inline constexpr std::uint32_t kMostMixedValues = 512;
MixedCircle plan_mixed_circle(std::uint32_t values, const MixedClasses& classes);

// Each integer range asked alone by such half-circles, as often as it needs. Nothing where the workload holds other
// classes than ranges, prefixes and means, or nothing but ranges, or an attribute has too many values.
std::optional<SampledSpec> mixed_circles(const Schema& schema, const Workload& workload);

}  // namespace hearsay::planner
