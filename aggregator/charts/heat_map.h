// A table of numbers as colours.
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
  std::vector<double> margins;  // half of each value's interval; empty: none
};

// Draws a cell for each value, from white at 0 to blue at the largest value, and to red below 0, and the scale beside
// them. Each cell's hint has its labels, value and margin in full. The values stand in the cells if there is room.
// Labels that have no room are left out at regular distances.
Size draw(const HeatMap& map, Canvas& canvas);

}  // namespace hearsay::charts
