// Draws estimates with their intervals, one row for each estimate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregator/charts/axis.h"
#include "aggregator/charts/canvas.h"

namespace hearsay::charts {

struct IntervalRow {
  std::string label;
  std::optional<double> value;         // empty if the estimate has no answer
  Interval normal;                     // drawn thick
  std::optional<Interval> guaranteed;  // drawn thin
  std::string note;                    // the reason, if there is no value
};

struct IntervalChart {
  std::string title;
  std::string axis_title;      // the name of the values, with their unit
  std::vector<double> limits;  // values that the axis must show, such as 0 and 1 for shares
  std::vector<IntervalRow> rows;
};

// Draws a dot and the intervals for each row. The row's label stands to the left, and its numbers to the right. No
// interval is clipped. An unbounded end is an arrow at the edge of the plot. A long label takes several lines. A reader
// who points at a row sees its label in full.
Size draw(const IntervalChart& chart, Canvas& canvas);

}  // namespace hearsay::charts
