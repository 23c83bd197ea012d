// The answer to one question that a measure asks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/estimator/estimate.h"

namespace hearsay::measures {

// An interval. An infinite end means that the data exclude no value on that side.
using estimator::Interval;

struct Answer {
  double value;           // never clipped
  double standard_error;  // for ratios this holds to first order (delta method)
  Interval normal;
  Interval guaranteed;
  compiler::Guarantee guarantee;
  // The most that one lying report can move the value. For ratios this holds to first order. For quantiles this is the
  // effect of shifting all cumulative shares by the most that one report can move them.
  double influence;
  std::vector<std::string> warnings;
};

}  // namespace hearsay::measures
