#include "aggregator/central/cells/cell_cube.h"

#include <doctest/doctest.h>

#include <limits>

#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"

namespace hearsay::central {
namespace {

using Shape = std::vector<std::uint32_t>;

Shape cell_at(const Shape& shape, std::size_t index) {
  Shape cell(shape.size());
  for (std::size_t i = shape.size(); i > 0; --i) {
    cell[i - 1] = static_cast<std::uint32_t>(index % shape[i - 1]);
    index /= shape[i - 1];
  }
  return cell;
}

std::int64_t sum_by_listing(const ReleasedCube& cube, const std::vector<CellRange>& box) {
  std::int64_t sum = 0;
  for (std::size_t index = 0; index < cube.cells().size(); ++index) {
    const Shape cell = cell_at(cube.shape(), index);
    bool inside = true;
    for (std::size_t i = 0; i < cell.size(); ++i) inside = inside && box[i].low <= cell[i] && cell[i] <= box[i].high;
    if (inside) sum += cube.cells()[index];
  }
  return sum;
}

TEST_CASE("every box of a small cube adds up its cells, in one to five dimensions") {
  tests::CounterBitSource bits("boxes");
  for (const Shape& shape : {Shape{7}, Shape{4, 5}, Shape{1, 3, 4}, Shape{3, 2, 1, 4}, Shape{2, 2, 3, 2, 2}}) {
    std::vector<std::int64_t> cells(count_cells(shape).value());
    for (std::int64_t& cell : cells) cell = static_cast<std::int64_t>(uniform_below(bits, 1000)) - 500;
    const ReleasedCube cube = ReleasedCube::create(shape, cells).value();
    std::vector<std::vector<CellRange>> boxes{{}};
    for (const std::uint32_t size : shape) {
      std::vector<std::vector<CellRange>> longer;
      for (const auto& box : boxes) {
        for (std::uint32_t low = 0; low < size; ++low) {
          for (std::uint32_t high = low; high < size; ++high) {
            longer.push_back(box);
            longer.back().push_back({low, high});
          }
        }
      }
      boxes = std::move(longer);
    }
    std::size_t wrong = 0;
    for (const auto& box : boxes) wrong += cube.box(box).value() == sum_by_listing(cube, box) ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("adding a row adds the row's amount to its cell") {
  CellCube cube = CellCube::create({2, 3}, {-5, 9}).value();
  const Shape first{0, 2};
  const Shape second{1, 0};
  CHECK(cube.add(first, 9));
  CHECK(cube.add(first, -5));
  CHECK(cube.add(second, 1));
  CHECK(std::vector<std::int64_t>(cube.cells().begin(), cube.cells().end()) ==
        std::vector<std::int64_t>{0, 0, 4, 1, 0, 0});
}

TEST_CASE("a row of another dimension is refused, and a row outside of the cube is in no cell") {
  CellCube cube = CellCube::create({2, 3}).value();
  for (const Shape& cell : {Shape{0}, Shape{0, 0, 0}, Shape{}}) {
    CHECK(cube.add(cell).error().code == ErrorCode::kInvalidArgument);
  }
  for (const Shape& cell : {Shape{2, 0}, Shape{0, 3}, Shape{0xFFFFFFFF, 0xFFFFFFFF}}) CHECK(cube.add(cell));
  for (const std::int64_t count : cube.cells()) CHECK(count == 0);
}

TEST_CASE("an amount outside the range counts as the nearer end of the range") {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  CellCube cube = CellCube::create({4}, {-5, 9}).value();
  for (const auto& [cell, amount] : {std::pair{0U, std::int64_t{10}}, {1U, kMost}, {2U, std::int64_t{-6}}}) {
    CHECK(cube.add(Shape{cell}, amount));
  }
  CHECK(cube.add(Shape{3}, std::numeric_limits<std::int64_t>::min()));
  CHECK(std::vector<std::int64_t>(cube.cells().begin(), cube.cells().end()) == std::vector<std::int64_t>{9, 9, -5, -5});
}

TEST_CASE("shapes and amounts out of range are refused") {
  const auto code = [](const Shape& shape, AmountRange amounts = {}) {
    return CellCube::create(shape, amounts).error().code;
  };
  CHECK(code({}) == ErrorCode::kInvalidArgument);
  CHECK(code({3, 0}) == ErrorCode::kInvalidArgument);
  CHECK(code(Shape(25, 1)) == ErrorCode::kInvalidArgument);
  CHECK(code({4096, 4097}) == ErrorCode::kDomainTooLarge);
  CHECK(code(Shape(24, 4'000'000'000U)) == ErrorCode::kDomainTooLarge);
  CHECK(code({2}, {0, 0}) == ErrorCode::kInvalidArgument);
  CHECK(code({2}, {3, 2}) == ErrorCode::kInvalidArgument);
  CHECK(code({2}, {0, kLargestAmount + 1}) == ErrorCode::kInvalidArgument);
  CHECK(code({2}, {std::numeric_limits<std::int64_t>::min(), 0}) == ErrorCode::kInvalidArgument);
  CHECK(CellCube::create(Shape(24, 2)));  // 2^24 cells
}

TEST_CASE("boxes that are empty, outside or of the wrong dimension are refused") {
  const ReleasedCube cube = ReleasedCube::create({2, 3}, std::vector<std::int64_t>(6, 1)).value();
  for (const std::vector<CellRange>& box : {std::vector<CellRange>{{1, 0}, {0, 2}}, {{0, 1}, {0, 3}}, {{0, 1}}, {}}) {
    CHECK(cube.box(box).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(ReleasedCube::create({2, 3}, std::vector<std::int64_t>(5)).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("a sum beyond 64 bits is an error, but an intermediate sum may exceed 64 bits") {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  const ReleasedCube cube = ReleasedCube::create({4}, {kMost, kMost, kLeast, kLeast}).value();
  const auto interval = [&](std::uint32_t low, std::uint32_t high) {
    const CellRange range{low, high};
    return cube.box({&range, 1});
  };
  CHECK(interval(0, 1).error().code == ErrorCode::kOverflow);
  CHECK(interval(2, 3).error().code == ErrorCode::kOverflow);
  CHECK(interval(0, 3).value() == -2);
  CHECK(interval(3, 3).value() == kLeast);
}

TEST_CASE("clipping sets negative cells to 0, and boxes add up the clipped cells") {
  const ReleasedCube cube = ReleasedCube::create({2, 2}, {-3, 0, 5, -1}).value().nonnegative();
  CHECK(std::vector<std::int64_t>(cube.cells().begin(), cube.cells().end()) == std::vector<std::int64_t>{0, 0, 5, 0});
  const std::vector<CellRange> all{{0, 1}, {0, 1}};
  CHECK(cube.box(all).value() == 5);
}

}  // namespace
}  // namespace hearsay::central
