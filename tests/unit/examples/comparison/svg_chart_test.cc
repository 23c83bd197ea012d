#include "examples/comparison/svg_chart.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <regex>

namespace hearsay::examples {
namespace {

struct Text {
  double x;
  double y;
  int size;
  std::string anchor;
  std::string content;
};

std::vector<Text> texts_of(const std::string& svg) {
  static const std::regex pattern(
      "<text x=\"([^\"]*)\" y=\"([^\"]*)\" font-size=\"([0-9]+)\" text-anchor=\"([a-z]*)\"[^>]*>([^<]*)</text>");
  std::vector<Text> texts;
  for (std::sregex_iterator i(svg.begin(), svg.end(), pattern); i != std::sregex_iterator(); ++i) {
    texts.push_back({std::stod((*i)[1]), std::stod((*i)[2]), std::stoi((*i)[3]), (*i)[4], (*i)[5]});
  }
  return texts;
}

const Text& named(const std::vector<Text>& texts, const std::string& content) {
  const auto found =
      std::find_if(texts.begin(), texts.end(), [&](const Text& text) { return text.content == content; });
  REQUIRE(found != texts.end());
  return *found;
}

// Sixteen curves, many of which end at the same height.
Chart crowded() {
  Chart chart{"A title", "a subtitle", "users", "error", {}};
  for (int i = 0; i < 16; ++i) {
    Series series{"mechanism number " + std::to_string(i), LineStyle::kSolid, {}};
    const double level = i < 10 ? 1 : 0.01 * i;
    for (const double users : {1e3, 1e4, 1e5}) series.points.push_back({users, level / std::sqrt(users)});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

TEST_CASE("the names of crowded curves keep a line's distance and stay in the box") {
  const std::string svg = to_svg(crowded());
  std::smatch box;
  REQUIRE(std::regex_search(svg, box, std::regex("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"")));
  const double width = std::stod(box[1]);
  const double height = std::stod(box[2]);
  const std::vector<Text> texts = texts_of(svg);
  std::vector<double> heights;
  for (const Text& text : texts) {
    CAPTURE(text.content);
    CHECK(text.size >= 12);
    CHECK(text.y >= text.size);
    CHECK(text.y <= height - 4);
    // 0.6 of the font size is a wide average for the glyphs of a text.
    const double length = 0.6 * text.size * static_cast<double>(text.content.size());
    if (text.anchor == "start") CHECK(text.x + length <= width);
    if (text.anchor == "end") CHECK(text.x - length >= 0);
    if (text.content.starts_with("mechanism")) heights.push_back(text.y);
  }
  REQUIRE(heights.size() == 16);
  std::sort(heights.begin(), heights.end());
  for (std::size_t i = 1; i < heights.size(); ++i) CHECK(heights[i] - heights[i - 1] >= 14);
}

TEST_CASE("the decades are labelled where they lie") {
  Chart chart{"t", "", "x", "y", {}};
  chart.series.push_back({"line", LineStyle::kDashed, {{1'000, 0.5}, {100'000, 0.005}}});
  const std::vector<Text> texts = texts_of(to_svg(chart));
  const double step = named(texts, "10,000").x - named(texts, "1,000").x;
  CHECK(step > 0);
  CHECK(named(texts, "100,000").x - named(texts, "10,000").x == doctest::Approx(step).epsilon(1e-3));
  CHECK(named(texts, "0.01").y > named(texts, "0.1").y);
  // Both curves' coordinates follow: two decades across and down.
  const std::string svg = to_svg(chart);
  std::smatch line;
  REQUIRE(std::regex_search(
      svg, line, std::regex("stroke-dasharray=\"8 5\" points=\"([0-9.]+),([0-9.]+) ([0-9.]+),([0-9.]+) \"")));
  CHECK(std::stod(line[3]) - std::stod(line[1]) == doctest::Approx(2 * step).epsilon(1e-3));
  const double down = named(texts, "0.01").y - named(texts, "0.1").y;
  CHECK(std::stod(line[4]) - std::stod(line[2]) == doctest::Approx(2 * down).epsilon(1e-3));
}

TEST_CASE("an axis of one decade has labels between the powers of ten") {
  Chart chart{"t", "", "x", "y", {}};
  chart.series.push_back({"line", LineStyle::kSolid, {{600, 0.3}, {2'000, 0.1}}});
  const std::vector<Text> texts = texts_of(to_svg(chart));
  CHECK(named(texts, "2,000").x - named(texts, "1,000").x ==
        doctest::Approx((named(texts, "5,000").x - named(texts, "1,000").x) * std::log(2) / std::log(5)).epsilon(1e-3));
  CHECK(named(texts, "0.2").y < named(texts, "0.1").y);
  // Two powers of ten are enough.
  chart.series[0].points.push_back({20'000, 0.1});
  for (const Text& text : texts_of(to_svg(chart))) CHECK(text.content != "2,000");
}

TEST_CASE("names are escaped and empty series left out") {
  Chart chart{"a < b & c", "", "x", "y", {}};
  chart.series.push_back({"empty", LineStyle::kSolid, {}});
  chart.series.push_back({"p <q>", LineStyle::kSolid, {{10, 1}, {20, 2}}});
  const std::string svg = to_svg(chart);
  CHECK(svg.find("a &lt; b &amp; c") != std::string::npos);
  CHECK(svg.find("p &lt;q&gt;") != std::string::npos);
  CHECK(svg.find("empty") == std::string::npos);
}

}  // namespace
}  // namespace hearsay::examples
