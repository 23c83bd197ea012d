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
  std::string subtitle;  // a text about all panels, below the title
  std::vector<Panel> panels;
  std::vector<std::string> notes;  // written below the panels
};

// Returns an SVG document without scripts. Texts stay texts, not outlines of glyphs, and are at least 13 px in size.
std::string to_svg(const Figure& figure);

}  // namespace hearsay::charts
