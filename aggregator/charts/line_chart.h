// Draws line charts on two logarithmic axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hearsay::charts {

enum class LineStyle : std::uint8_t { kSolid, kDashed, kDotted };

struct Series {
  struct Point {
    double x;
    double y;
  };
  std::string name;
  LineStyle style = LineStyle::kSolid;
  std::vector<Point> points;  // x ascends; all positive and finite
};

struct LineChart {
  std::string title;
  std::string subtitle;
  std::string x_title;
  std::string y_title;
  std::vector<Series> series;
};

// Returns a standalone SVG document. Labelled ticks are at the powers of ten, and smaller ticks between them. Each
// curve's name stands to the right, beside a sample of the curve's line. A thin line leads from the curve to the name.
// Names do not overlap. Curves of one style differ in colour (palette.h). If there are more curves than colours,
// further curves are thinner. Styles differ in dashes and markers. Series without points are left out. No text is
// smaller than 13 px. The width of the document follows from the names.
std::string to_svg(const LineChart& chart);

}  // namespace hearsay::charts
