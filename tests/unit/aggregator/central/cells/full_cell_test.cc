// A cell at the end of its range, which takes 2^29 rows of the largest amount.
#include <doctest/doctest.h>

#include "aggregator/central/cells/cell_cube.h"

namespace hearsay::central {
namespace {

TEST_CASE("a cell stays at ±2^61, and one row more or less moves it by no more than the row's amount") {
  for (const std::int64_t amount : {kLargestAmount, -kLargestAmount}) {
    CellCube cube = CellCube::create({1}, {-kLargestAmount, kLargestAmount}).value();
    const std::uint32_t cell = 0;
    bool added = true;
    for (std::int64_t rows = 0; rows < kLargestCell / kLargestAmount; ++rows) {
      added = added && static_cast<bool>(cube.add({&cell, 1}, amount));
    }
    CHECK(added);
    const std::int64_t full = amount > 0 ? kLargestCell : -kLargestCell;
    CHECK(cube.cells()[0] == full);
    CHECK(cube.add({&cell, 1}, amount));
    CHECK(cube.cells()[0] == full);
    CHECK(cube.add({&cell, 1}, -amount));
    CHECK(cube.cells()[0] == full - amount);
  }
}

}  // namespace
}  // namespace hearsay::central
