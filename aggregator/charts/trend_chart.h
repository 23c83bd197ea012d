// Draws how estimates change from period to period.
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
  std::vector<TrendPoint> points;  // in ascending order of periods; a period without an answer has no point
};

struct TrendChart {
  static constexpr std::size_t kMostTrends = 7;  // the palette has 7 colours

  std::string title;
  std::string axis_title;      // the name of the values, with their unit
  std::vector<double> limits;  // values that the axis must show, such as 0 and 1 for shares
  std::vector<std::string> periods;
  std::vector<Trend> trends;  // at most kMostTrends
};

// Draws each trend as a curve, and the intervals of its periods as a band. The trends' names stand to the right of the
// plot. No band is clipped. An unbounded end of an interval reaches the edge of the plot and has an arrow.
Size draw(const TrendChart& chart, Canvas& canvas);

}  // namespace hearsay::charts
