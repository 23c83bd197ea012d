#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "aggregator/charts/figure.h"
#include "aggregator/charts/palette.h"
#include "tests/unit/aggregator/charts/drawing.h"

namespace hearsay::charts {
namespace {

TrendChart chart_of(std::size_t periods) {
  TrendChart chart{"Trend", "minutes (min)", {}, {}, {}};
  for (std::size_t i = 0; i < periods; ++i) chart.periods.push_back("2026-03-" + std::to_string(i + 1));
  return chart;
}

class Scale {
 public:
  Scale(const Drawing& drawing, double low, const std::string& low_label, double high, const std::string& high_label)
      : low_(low),
        at_low_(drawing.named(low_label).y - 5),
        step_((drawing.named(high_label).y - 5 - at_low_) / (high - low)) {}
  double at(double value) const { return at_low_ + (value - low_) * step_; }

 private:
  double low_;
  double at_low_;
  double step_;
};

TEST_CASE("bands and dots are at the places of their numbers, and the periods are side by side") {
  TrendChart chart = chart_of(4);
  chart.trends.push_back({"one", {{0, 10, {9, 11}}, {1, 20, {10, 30}}, {3, 15, {14, 16}}}});
  const Drawing drawing(to_svg({"t", "", {chart}, {}}));
  drawing.check_legible();
  const Scale scale(drawing, 10, "10", 30, "30");
  const auto marks = drawing.marks("period");
  REQUIRE(marks.size() == 3);
  const double width = marks[0].child("rect").attribute("width").as_double();
  const double first = marks[0].child("rect").attribute("x").as_double();
  for (std::size_t i = 0; i < 3; ++i) {
    const TrendPoint& point = chart.trends[0].points[i];
    const pugi::xml_node band = marks[i].child("rect");
    CHECK(band.attribute("x").as_double() ==
          doctest::Approx(first + width * static_cast<double>(point.period)).epsilon(1e-3));
    CHECK(band.attribute("y").as_double() == doctest::Approx(scale.at(point.interval.high)).epsilon(1e-3));
    CHECK(band.attribute("y").as_double() + band.attribute("height").as_double() ==
          doctest::Approx(scale.at(point.interval.low)).epsilon(1e-3));
    CHECK(marks[i].child("circle").attribute("cy").as_double() == doctest::Approx(scale.at(point.value)).epsilon(1e-3));
  }
  // The missing period interrupts the curve, so only the first two periods are joined.
  std::size_t curves = 0;
  for (const pugi::xml_node curve : drawing.root().children("polyline")) {
    ++curves;
    CHECK(std::count(curve.attribute("points").value(),
                     curve.attribute("points").value() + std::strlen(curve.attribute("points").value()), ',') == 2);
  }
  CHECK(curves == 1);
}

TEST_CASE("an unbounded interval reaches the edge, with an arrow") {
  TrendChart chart = chart_of(2);
  chart.trends.push_back({"one", {{0, 1, {0, 2}}, {1, 1, {-std::numeric_limits<double>::infinity(), std::nan("")}}}});
  const Drawing drawing(to_svg({"t", "", {chart}, {}}));
  const auto marks = drawing.marks("period");
  const pugi::xml_node frame = drawing.root().child("rect").next_sibling("rect");
  const pugi::xml_node band = marks[1].child("rect");
  CHECK(band.attribute("y").as_double() == frame.attribute("y").as_double());
  CHECK(band.attribute("height").as_double() == frame.attribute("height").as_double());
  CHECK(std::distance(marks[1].children("polygon").begin(), marks[1].children("polygon").end()) == 2);
  CHECK(marks[0].child("polygon").empty());
}

TEST_CASE("names of curves and periods are legible, whatever their number") {
  for (const std::size_t periods : {0U, 1U, 2U, 52U, 1000U}) {
    TrendChart chart = chart_of(periods);
    for (std::size_t k = 0; k < TrendChart::kMostTrends; ++k) {
      Trend trend{"a trend with a long name, number " + std::to_string(k) + std::string(k * 20, 'w'), {}};
      for (std::size_t i = 0; i < periods; ++i) trend.points.push_back({i, 0.5, {0.4, 0.6}});
      chart.trends.push_back(std::move(trend));
    }
    CAPTURE(periods);
    const Drawing drawing(to_svg({"t", "", {chart}, {}}));
    drawing.check_legible();
    CHECK(drawing.marks("period").size() == periods * TrendChart::kMostTrends);
  }
}

}  // namespace
}  // namespace hearsay::charts
