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
  // The values of the first row, then the values of the next row. A cell whose value is not finite is grey.
  std::vector<double> values;
  std::vector<double> margins;  // half the width of each value's interval; empty: no intervals
};

// Draws a cell for each value. The value 0 is white, values above 0 are blue, and values below 0 are orange. A colour
// scale stands beside the cells. A reader who points at a cell sees its labels, value and margin in full. With at most
// 16 rows and 16 columns, the cells show their values. If there is no room for all labels, only every second, third, …
// label is drawn.
Size draw(const HeatMap& map, Canvas& canvas);

}  // namespace hearsay::charts
