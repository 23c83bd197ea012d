#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "aggregator/charts/figure.h"
#include "aggregator/charts/palette.h"
#include "tests/unit/aggregator/charts/drawing.h"

namespace hearsay::charts {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Figure figure_of(std::vector<IntervalRow> rows) {
  return {"A title", "a subtitle", {IntervalChart{"Panel", "share", {0, 1}, std::move(rows)}}, {"a note"}};
}

IntervalRow row(std::string label, double value, double margin) {
  return {std::move(label), value, Interval{value - margin, value + margin},
          Interval{value - 2 * margin, value + 2 * margin}, ""};
}

// Converts a share to a pixel. The scale comes from two labels of the axis.
class ShareScale {
 public:
  explicit ShareScale(const Drawing& drawing) : zero_(drawing.named("0.0").x), one_(drawing.named("1.0").x) {}
  double at(double value) const { return zero_ + value * (one_ - zero_); }

 private:
  double zero_;
  double one_;
};

TEST_CASE("dots and bars are at the places of their numbers") {
  const std::vector<IntervalRow> rows{row("low", 0.1, 0.2), row("middle", 0.5, 0.01), row("sure", 1, 0)};
  const Drawing drawing(to_svg(figure_of(rows)));
  drawing.check_legible();
  const ShareScale scale(drawing);
  const auto marks = drawing.marks("estimate");
  REQUIRE(marks.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].label);
    const pugi::xml_node dot = marks[i].child("circle");
    CHECK(dot.attribute("cx").as_double() == doctest::Approx(scale.at(*rows[i].value)).epsilon(1e-3));
    std::vector<pugi::xml_node> bars;
    for (const pugi::xml_node bar : marks[i].children("line")) bars.push_back(bar);
    REQUIRE(bars.size() == 2);
    const Interval intervals[] = {*rows[i].guaranteed, rows[i].normal};
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(bars[k].attribute("x1").as_double() == doctest::Approx(scale.at(intervals[k].low)).epsilon(1e-3));
      CHECK(bars[k].attribute("x2").as_double() == doctest::Approx(scale.at(intervals[k].high)).epsilon(1e-3));
      CHECK(bars[k].attribute("y1").as_double() == dot.attribute("cy").as_double());
    }
    CHECK(std::abs(drawing.named(rows[i].label).y - dot.attribute("cy").as_double()) <= 6);
    CHECK(marks[i].child("polygon").empty());
  }
}

TEST_CASE("the axis of shares includes 0 and 1, for all data") {
  for (const double value : {0.001, 0.5, 1.7, -3.0}) {
    const Drawing drawing(to_svg(figure_of({row("q", value, 0.0001)})));
    const pugi::xml_node frame = drawing.root().child("rect").next_sibling("rect");
    const double left = frame.attribute("x").as_double();
    const double right = left + frame.attribute("width").as_double();
    std::vector<double> limits;
    for (const pugi::xml_node line : drawing.root().children("line")) {
      if (line.attribute("stroke-dasharray")) limits.push_back(line.attribute("x1").as_double());
    }
    REQUIRE(limits.size() == 2);
    CHECK(limits[0] > left);
    CHECK(limits[1] > limits[0]);
    CHECK(limits[1] < right);
  }
}

TEST_CASE("an unbounded end is an arrow at the edge") {
  const Interval no_number{std::nan(""), std::nan("")};
  const Drawing drawing(to_svg(figure_of({{"all", 0.4, {-kInfinity, kInfinity}, no_number, ""},
                                          {"up", 0.4, {0.2, kInfinity}, Interval{0.1, kInfinity}, ""},
                                          row("bounded", 0.4, 0.1)})));
  drawing.check_legible();
  const auto marks = drawing.marks("estimate");
  const pugi::xml_node frame = drawing.root().child("rect").next_sibling("rect");
  const double left = frame.attribute("x").as_double();
  const double right = left + frame.attribute("width").as_double();
  const auto arrows = [&](std::size_t i) {
    std::vector<double> tips;
    for (const pugi::xml_node arrow : marks[i].children("polygon")) {
      tips.push_back(std::stod(arrow.attribute("points").value()));
    }
    return tips;
  };
  CHECK(arrows(0) == std::vector<double>{left, right, left, right});
  CHECK(arrows(1) == std::vector<double>{right, right});
  CHECK(arrows(2).empty());
  CHECK(marks[0].child("line").attribute("x1").as_double() == left);
  CHECK(marks[0].child("line").attribute("x2").as_double() == right);
  CHECK(drawing.has("0.4  (unbounded)"));
  CHECK(drawing.has("0.4  (0.2 or more)"));
}

TEST_CASE("labels of any length and number are legible") {
  for (const std::size_t count : {0U, 1U, 31U, 1000U}) {
    std::vector<IntervalRow> rows;
    for (std::size_t i = 0; i < count; ++i) {
      std::string label = "row " + std::to_string(i);
      if (i % 3 == 0) label += " of a population whose description takes more room than a line of the chart has";
      if (i % 7 == 0) label += std::string(200, 'W');
      rows.push_back(row(label, 0.5, 0.1));
    }
    if (count > 1) rows[1].value = std::nullopt;
    CAPTURE(count);
    const Drawing drawing(to_svg(figure_of(rows)));
    CHECK(drawing.marks("estimate").size() == count);
    drawing.check_legible();
  }
}

TEST_CASE("text that looks like markup stays text") {
  const std::string label = "</text><script>alert('\"&')</script>\x01\x1f\n\xEF\xBF\xBF é 漢字 ]]>";
  const Drawing drawing(to_svg({label, label, {IntervalChart{label, label, {}, {row(label, 0.5, 0.1)}}}, {label}}));
  CHECK(drawing.root().select_nodes("//script").empty());
  // Line breaks, and characters that XML cannot hold, become spaces.
  CHECK(drawing.has("</text><script>alert('\"&')</script>     é 漢字 ]]>"));
}

TEST_CASE("a row of a chart without an answer gives the reason") {
  const Drawing drawing(to_svg(figure_of({{"q", std::nullopt, {}, {}, "query_not_covered"}})));
  drawing.check_legible();
  CHECK(drawing.has("no answer: query_not_covered"));
  CHECK(drawing.marks("estimate")[0].child("circle").empty());
}

}  // namespace
}  // namespace hearsay::charts
