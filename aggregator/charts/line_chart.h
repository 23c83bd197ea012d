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
  std::vector<Point> points;  // in ascending order of x; all numbers are positive and finite
};

struct LineChart {
  std::string title;
  std::string subtitle;
  std::string x_title;
  std::string y_title;
  std::vector<Series> series;
};

// Returns a standalone SVG document. Ticks at the powers of ten have labels. If an axis shows fewer than two powers of
// ten, ticks at 2 and 5 times a power have labels, too. Each curve's name stands to the right, beside a sample of the
// curve's line. A thin line leads from the curve to the name. Names do not overlap. Curves of one style differ in
// colour (palette.h). If a style has more curves than the palette has colours, its further curves are thinner. Line
// styles differ in dashes and markers. The function leaves out series without points. No text is smaller than 13 px.
// Long names make the document wider.
std::string to_svg(const LineChart& chart);

}  // namespace hearsay::charts
