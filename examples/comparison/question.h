// The questions of a comparison: fractions and means.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::examples {

// "How many of these conditions does a person satisfy, on average?" With one condition, the answer is the fraction of
// people who satisfy this condition. With the conditions [value >= t] of an ordered attribute, the answer is the
// attribute's mean, counted from its smallest value.
struct Question {
  std::vector<Query> conditions;
  std::string text;

  std::uint32_t value(std::span<const std::uint32_t> record) const;        // number of conditions that hold
  double range() const { return static_cast<double>(conditions.size()); }  // the largest value; the smallest is 0
};

// Makes the question for the mean of an ordered attribute.
Question mean_of(const Schema& schema, std::uint32_t attribute);

}  // namespace hearsay::examples
