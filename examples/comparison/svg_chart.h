// Line charts on two logarithmic axes, as SVG.
#pragma once

#include <string>
#include <vector>

namespace hearsay::examples {

enum class LineStyle { kSolid, kDashed, kDotted };

struct Series {
  struct Point {
    double x;
    double y;
  };
  std::string name;
  LineStyle style = LineStyle::kSolid;
  std::vector<Point> points;  // ascending x; all positive and finite
};

struct Chart {
  std::string title;
  std::string subtitle;
  std::string x_title;
  std::string y_title;
  std::vector<Series> series;
};

// A standalone SVG document with a viewBox: ticks at the decades and unlabelled ones between them, and every series
// named at its right end, the names spread so that none overlaps another, with a thin line to the curve where a name
// had to move. Curves differ in colour (Okabe and Ito's palette, which colour-blind people tell apart) and in style and
// marker. Series without points are left out. No text is smaller than 13 px; the box is as wide as the names need.
std::string to_svg(const Chart& chart);

}  // namespace hearsay::examples
