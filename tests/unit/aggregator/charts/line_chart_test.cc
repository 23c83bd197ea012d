#include "aggregator/charts/line_chart.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/aggregator/charts/drawing.h"

namespace hearsay::charts {
namespace {

LineChart crowded() {
  LineChart chart{"A title", "a subtitle", "users", "error", {}};
  for (int i = 0; i < 16; ++i) {
    Series series{"mechanism number " + std::to_string(i), LineStyle::kSolid, {}};
    const double level = i < 10 ? 1 : 0.01 * i;
    for (const double users : {1e3, 1e4, 1e5}) series.points.push_back({users, level / std::sqrt(users)});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

TEST_CASE("the names of crowded curves do not overlap and are inside the box") {
  const Drawing drawing(to_svg(crowded()));
  drawing.check_legible();
  std::vector<double> heights;
  for (const Text& text : drawing.texts()) {
    if (text.content.starts_with("mechanism")) heights.push_back(text.y);
  }
  REQUIRE(heights.size() == 16);
  std::sort(heights.begin(), heights.end());
  for (std::size_t i = 1; i < heights.size(); ++i) CHECK(heights[i] - heights[i - 1] >= 14);
}

TEST_CASE("the labels of the powers of ten are at the right places") {
  LineChart chart{"t", "", "x", "y", {}};
  chart.series.push_back({"line", LineStyle::kDashed, {{1'000, 0.5}, {100'000, 0.005}}});
  const Drawing drawing(to_svg(chart));
  const double step = drawing.named("10,000").x - drawing.named("1,000").x;
  CHECK(step > 0);
  CHECK(drawing.named("100,000").x - drawing.named("10,000").x == doctest::Approx(step).epsilon(1e-3));
  CHECK(drawing.named("0.01").y > drawing.named("0.1").y);
  std::vector<double> line;
  for (const pugi::xml_node dot : drawing.marks("series")[0].children("rect")) {
    line.push_back(dot.attribute("x").as_double());
    line.push_back(dot.attribute("y").as_double());
  }
  REQUIRE(line.size() == 4);
  CHECK(line[2] - line[0] == doctest::Approx(2 * step).epsilon(1e-3));
  const double down = drawing.named("0.01").y - drawing.named("0.1").y;
  CHECK(line[3] - line[1] == doctest::Approx(2 * down).epsilon(1e-3));
}

TEST_CASE("an axis from one power of ten to the next has labels between the powers") {
  LineChart chart{"t", "", "x", "y", {}};
  chart.series.push_back({"line", LineStyle::kSolid, {{600, 0.3}, {2'000, 0.1}}});
  const Drawing drawing(to_svg(chart));
  CHECK(
      drawing.named("2,000").x - drawing.named("1,000").x ==
      doctest::Approx((drawing.named("5,000").x - drawing.named("1,000").x) * std::log(2) / std::log(5)).epsilon(1e-3));
  CHECK(drawing.named("0.2").y < drawing.named("0.1").y);
  // An axis with two powers of ten has no labels between them.
  chart.series[0].points.push_back({20'000, 0.1});
  CHECK_FALSE(Drawing(to_svg(chart)).has("2,000"));
}

TEST_CASE("names are escaped, and empty series are left out") {
  LineChart chart{"a < b & c", "", "x", "y", {}};
  chart.series.push_back({"empty", LineStyle::kSolid, {}});
  chart.series.push_back({"p <q>", LineStyle::kSolid, {{10, 1}, {20, 2}}});
  const Drawing drawing(to_svg(chart));
  CHECK(drawing.has("a < b & c"));
  CHECK(drawing.has("p <q>"));
  CHECK_FALSE(drawing.has("empty"));
}

}  // namespace
}  // namespace hearsay::charts
