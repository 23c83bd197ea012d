// The questions that a crowd is asked: fractions and means.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::examples {

// "How many of these conditions does a person satisfy, on average?" For one condition that is the fraction of people
// who satisfy it. For the conditions [value >= t] of an ordered attribute it is the attribute's mean, counted from its
// smallest value.
struct Question {
  std::vector<Query> conditions;
  std::string text;

  std::uint32_t value(std::span<const std::uint32_t> record) const;
  double range() const { return static_cast<double>(conditions.size()); }  // values are from 0 to this
};

// The mean of an ordered attribute.
Question mean_of(const Schema& schema, std::uint32_t attribute);

}  // namespace hearsay::examples
