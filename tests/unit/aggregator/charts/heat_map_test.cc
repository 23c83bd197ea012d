#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/charts/figure.h"
#include "tests/unit/aggregator/charts/drawing.h"

namespace hearsay::charts {
namespace {

HeatMap map_of(std::size_t rows, std::size_t columns) {
  HeatMap map{"Title", "rows", "columns", {}, {}, {}, {}};
  for (std::size_t i = 0; i < rows; ++i) map.rows.push_back("row " + std::to_string(i));
  for (std::size_t i = 0; i < columns; ++i) map.columns.push_back("column " + std::to_string(i));
  for (std::size_t i = 0; i < rows * columns; ++i) map.values.push_back(static_cast<double>(i));
  return map;
}

unsigned red_of(pugi::xml_node cell) {
  return static_cast<unsigned>(
      std::stoul(std::string(cell.child("rect").attribute("fill").value()).substr(1, 2), nullptr, 16));
}
unsigned blue_of(pugi::xml_node cell) {
  return static_cast<unsigned>(
      std::stoul(std::string(cell.child("rect").attribute("fill").value()).substr(5, 2), nullptr, 16));
}

TEST_CASE("cells stand below and beside their labels, and show their values") {
  HeatMap map = map_of(2, 3);
  map.margins = {0.5, 0.5, 0.5, 0.5, 0.5, 0.25};
  const Drawing drawing(to_svg({"t", "", {map}, {}}));
  drawing.check_legible();
  const auto cells = drawing.marks("cell");
  REQUIRE(cells.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const pugi::xml_node rect = cells[i].child("rect");
    const double left = rect.attribute("x").as_double();
    const double width = rect.attribute("width").as_double();
    const double top = rect.attribute("y").as_double();
    const double height = rect.attribute("height").as_double();
    const Text& column = drawing.named(map.columns[i % 3]);
    const Text& row = drawing.named(map.rows[i / 3]);
    CHECK(column.x > left);
    CHECK(column.x < left + width);
    CHECK(column.y < top);
    CHECK(row.x <= left);
    CHECK(row.y > top);
    CHECK(row.y < top + height);
    CHECK(std::string(cells[i].child("text").text().get()) == std::to_string(i));
  }
  CHECK(drawing.has("±0.25"));
  // Larger values are darker, and 0 is white.
  CHECK(red_of(cells[0]) == 255);
  for (std::size_t i = 1; i < 6; ++i) CHECK(red_of(cells[i]) < red_of(cells[i - 1]));
  CHECK(red_of(cells[5]) == 0);
}

TEST_CASE("values below 0 have another colour, and cells without a number have no colour") {
  HeatMap map = map_of(1, 3);
  map.values = {-1, 1, std::nan("")};
  const Drawing drawing(to_svg({"t", "", {map}, {}}));
  const auto cells = drawing.marks("cell");
  CHECK(red_of(cells[0]) > blue_of(cells[0]));
  CHECK(red_of(cells[1]) < blue_of(cells[1]));
  CHECK(red_of(cells[2]) == blue_of(cells[2]));
}

TEST_CASE("labels are legible for any number of rows and columns, and hints are complete") {
  for (const auto& size :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {1, 1}, {2, 60}, {60, 2}, {1000, 3}, {100, 100}}) {
    const std::size_t rows = size.first;
    const std::size_t columns = size.second;
    CAPTURE(rows);
    CAPTURE(columns);
    HeatMap map = map_of(rows, columns);
    for (std::string& label : map.columns) label += std::string(rows == 2 ? 60 : 0, 'x');
    const Drawing drawing(to_svg({"t", "", {map}, {}}));
    drawing.check_legible();
    CHECK(drawing.marks("cell").size() == rows * columns);
    if (rows == 2) {
      CHECK(std::string(drawing.marks("cell")[61].child("title").text().get()).find("row 1, " + map.columns[1]) == 0);
    }
  }
}

TEST_CASE("a table whose values are all zero is drawn") {
  HeatMap map = map_of(2, 2);
  map.values.assign(4, 0);
  const Drawing drawing(to_svg({"t", "", {map}, {}}));
  drawing.check_legible();
  CHECK(red_of(drawing.marks("cell")[3]) == 255);
}

}  // namespace
}  // namespace hearsay::charts
