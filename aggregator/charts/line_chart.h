// Line charts on two logarithmic axes.
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
  std::vector<Point> points;  // ascending x; all positive and finite
};

struct LineChart {
  std::string title;
  std::string subtitle;
  std::string x_title;
  std::string y_title;
  std::vector<Series> series;
};

// A standalone SVG document with a viewBox: ticks at the decades and unlabelled ones between them, and every series
// named at its right end beside a sample of its line, the names spread so that none overlaps another, a thin line
// leading to the curve. Curves of one style differ in colour (palette.h; further curves are thinner), styles in dashes
// and markers. Series without points are left out. No text is smaller than 13 px; the box is as wide as the names need.
std::string to_svg(const LineChart& chart);

}  // namespace hearsay::charts
