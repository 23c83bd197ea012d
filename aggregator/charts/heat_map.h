// Draws a table of numbers as colours.
#pragma once

#include <string>
#include <vector>

#include "aggregator/charts/canvas.h"

namespace hearsay::charts {

struct HeatMap {
  std::string title;
  std::string row_title;
  std::string column_title;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  // Row by row; a value that is no number has no colour.
  std::vector<double> values;
  std::vector<double> margins;  // half of each value's interval; empty: no intervals
};

// Draws a cell for each value: white at 0, blue up to the largest value, red below 0. Beside the cells stands the
// scale. A cell's hint has the labels, value and margin in full. If there is room, the cells show their values. If
// there is no room for all labels, only every second, third, … label is drawn.
Size draw(const HeatMap& map, Canvas& canvas);

}  // namespace hearsay::charts
