// How estimates change from period to period.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/charts/axis.h"
#include "aggregator/charts/canvas.h"

namespace hearsay::charts {

struct TrendPoint {
  std::size_t period;
  double value;
  Interval interval;
};

struct Trend {
  std::string name;
  std::vector<TrendPoint> points;  // ascending; a period without an answer has none
};

struct TrendChart {
  static constexpr std::size_t kMostTrends = 7;  // that colours tell apart

  std::string title;
  std::string axis_title;      // what the numbers are, with their unit
  std::vector<double> limits;  // that the axis shows, such as 0 and 1 of shares
  std::vector<std::string> periods;
  std::vector<Trend> trends;  // at most kMostTrends
};

// Draws a curve for each trend, and as a band the interval of each period. The names stand at the curves' ends. No band
// is clipped; an interval that is unbounded goes to the edge, with an arrow.
Size draw(const TrendChart& chart, Canvas& canvas);

}  // namespace hearsay::charts
