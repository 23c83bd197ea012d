// Makes settings that ask all ranges, boxes, points or means of ordered attributes.
#pragma once

#include <string>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

constexpr std::size_t kMaxSimulatedBoxes = 512;

// `name`:
// - "ranges": all intervals of the schema's only attribute;
// - "boxes": all boxes on the schema's two attributes;
// - "points": each value of the only attribute, which may also be categorical;
// - "means": the mean of the only attribute.
// The planner plans for the whole class, or for the list of points. Of the boxes, at most kMaxSimulatedBoxes are
// simulated. Errors: kInvalidArgument (another schema), kDomainTooLarge (more than 4,096 points, 65,536 combinations of
// values).
Result<Setting> ordered_class(const Schema& schema, const Epsilon& epsilon, const std::string& name);

}  // namespace hearsay::examples
