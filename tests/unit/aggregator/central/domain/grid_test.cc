#include "aggregator/central/domain/grid.h"

#include <doctest/doctest.h>

#include "tests/support/numbers.h"

namespace hearsay::central {
namespace {

using tests::kInfinity;
using tests::kNaN;

TEST_CASE("cells have equal width, and the last cell contains the right end") {
  const Grid grid = Grid::create(-1, 3, 2).value();
  CHECK(grid.cells() == 4);
  CHECK(grid.cell(-1) == 0);
  CHECK(grid.cell(-0.01) == 0);
  CHECK(grid.cell(0) == 1);
  CHECK(grid.cell(2.5) == 3);
  CHECK(grid.cell(3) == 3);
  CHECK(grid.left_end(0) == -1);
  CHECK(grid.left_end(3) == 2);
  CHECK(grid.left_end(4) == 3);
  const Grid fine = Grid::create(0, 1, 52).value();
  CHECK(fine.cell(1) == (std::uint64_t{1} << 52U) - 1);
  CHECK(fine.cell(0x1p-52) == 1);
}

TEST_CASE("continuous and unbounded domains are refused, and the error gives the reason") {
  for (const auto& result :
       {Grid::create(0, 1, std::nullopt), Grid::create(0, kInfinity, 8), Grid::create(-kInfinity, 0, std::nullopt)}) {
    CHECK(result.error().code == ErrorCode::kInvalidArgument);
    CHECK(result.error().message.find("Theorem 5.1") != std::string::npos);
  }
}

TEST_CASE("a value outside of the domain is in the nearest cell, and NaN in the first cell") {
  const Grid grid = Grid::create(0, 1, 8).value();
  for (const double x : {kNaN, -1e-9, -1e300, -kInfinity}) CHECK(grid.cell(x) == 0);
  for (const double x : {1.000001, 1e300, kInfinity}) CHECK(grid.cell(x) == 255);
}

TEST_CASE("domains without a valid range or number of cells are refused") {
  CHECK_FALSE(Grid::create(kNaN, 1, 8));
  CHECK_FALSE(Grid::create(0, kNaN, 8));
  CHECK_FALSE(Grid::create(1, 1, 8));
  CHECK_FALSE(Grid::create(-1.7e308, 1.7e308, 8));
  CHECK_FALSE(Grid::create(0, 1, 0));
  CHECK_FALSE(Grid::create(0, 1, 53));
}

}  // namespace
}  // namespace hearsay::central
