// Makes settings that ask all ranges, boxes, points or means of ordered attributes.
#pragma once

#include <string>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

constexpr std::size_t kMaxSimulatedBoxes = 512;

// Makes the setting of a class. `name` is one of
// - "ranges": all intervals of the schema's only attribute;
// - "boxes": all boxes on the schema's two attributes;
// - "points": each value of the only attribute, which may also be categorical;
// - "means": the mean of the only attribute.
// The planner plans for the whole class. The simulation answers at most kMaxSimulatedBoxes ranges or boxes. Errors:
// kInvalidArgument (the schema has other attributes than the class needs), kDomainTooLarge (more than 4,096 values for
// points or means, or more than 65,536 combinations of values).
Result<Setting> ordered_class(const Schema& schema, const Epsilon& epsilon, const std::string& name);

}  // namespace hearsay::examples
