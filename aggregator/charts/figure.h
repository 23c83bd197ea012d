// Puts the charts of one analysis below one another in a standalone SVG document.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "aggregator/charts/heat_map.h"
#include "aggregator/charts/interval_chart.h"
#include "aggregator/charts/trend_chart.h"

namespace hearsay::charts {

using Panel = std::variant<IntervalChart, HeatMap, TrendChart>;

struct Figure {
  std::string title;
  std::string subtitle;  // what all panels have in common
  std::vector<Panel> panels;
  std::vector<std::string> notes;  // below the panels
};

// Returns a document with a viewBox, text as text, and no script. No text is smaller than 13 px.
std::string to_svg(const Figure& figure);

}  // namespace hearsay::charts
