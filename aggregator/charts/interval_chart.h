// Estimates with their intervals, one row each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregator/charts/axis.h"
#include "aggregator/charts/canvas.h"

namespace hearsay::charts {

struct IntervalRow {
  std::string label;
  std::optional<double> value;         // none: there is no answer
  Interval normal;                     // drawn thick
  std::optional<Interval> guaranteed;  // drawn thin
  std::string note;                    // why there is no answer
};

struct IntervalChart {
  std::string title;
  std::string axis_title;      // what the numbers are, with their unit
  std::vector<double> limits;  // that the axis shows, such as 0 and 1 of shares
  std::vector<IntervalRow> rows;
};

// Draws a dot and two bars a row, the row's label to the left and its numbers to the right. No interval is clipped; an
// end that is unbounded is an arrow at the edge. Long labels take several lines, and the mark's hint has them in full.
Size draw(const IntervalChart& chart, Canvas& canvas);

}  // namespace hearsay::charts
