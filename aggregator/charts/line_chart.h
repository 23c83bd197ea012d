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

// Returns a standalone SVG document with a viewBox. Ticks are at the decades, and unlabelled ones between them. Each
// curve's name stands at the right end beside a sample of its line, and a thin line leads from the curve to the name.
// Names never overlap. Curves of one style differ in colour (palette.h; further curves are thinner); styles differ in
// dashes and markers. Series without points are left out. No text is smaller than 13 px, and the box is as wide as the
// names need.
std::string to_svg(const LineChart& chart);

}  // namespace hearsay::charts
