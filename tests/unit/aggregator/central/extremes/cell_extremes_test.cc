#include "aggregator/central/extremes/cell_extremes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"

namespace hearsay::central {
namespace {

using tests::eps;
using tests::ratio;

// Gives cell c `rows` rows of the values 10c to 10c + 9 in turn, so that its extremes are known.
std::vector<CellRow> staircase(std::uint32_t cells, std::uint32_t rows) {
  std::vector<CellRow> all;
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    for (std::uint32_t i = 0; i < rows; ++i) all.push_back({cell, 10 * cell + i % 10});
  }
  return all;
}

// The statements about all cells hold together with probability 1 - 1e-7.
TEST_CASE(
    "the answer about a cell is near its extreme, and the answer about a union is the extreme of the answers about its "
    "cells") {
  tests::CounterBitSource bits("cell extremes");
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplaceOne}) {
    for (const Extreme extreme : {Extreme::kMaximum, Extreme::kMinimum}) {
      const CellExtremes mechanism = CellExtremes::create(extreme, eps("2"), neighbours, 4, 100, 1e-7).value();
      const auto most = static_cast<std::uint32_t>(mechanism.within_cell().most_rows_beyond());
      const ReleasedExtremes released = mechanism.release(staircase(4, 10 * most), bits).value();
      for (std::uint32_t cell = 0; cell < 4; ++cell) {
        REQUIRE(released.cells[cell]);
        const std::uint32_t value = *released.cells[cell];
        // Each of the cell's ten values has `most` rows. So the answer is the extreme or the value next to the
        // extreme.
        CHECK(value >= (extreme == Extreme::kMaximum ? 10 * cell + 8 : 10 * cell));
        CHECK(value <= (extreme == Extreme::kMaximum ? 10 * cell + 9 : 10 * cell + 1));
      }
      const auto of = [&](std::vector<std::uint32_t> chosen) { return released.of(chosen).value(); };
      const bool maximum = extreme == Extreme::kMaximum;
      CHECK(of({0, 1, 2, 3}) == released.cells[maximum ? 3 : 0]);
      CHECK(of({2, 1}) == released.cells[maximum ? 2 : 1]);
      CHECK_FALSE(of({}));
      CHECK_FALSE(released.of(std::array{4U}));
    }
  }
}

TEST_CASE("a cell with too few rows gets no answer") {
  tests::CounterBitSource bits("empty cells");
  const CellExtremes mechanism =
      CellExtremes::create(Extreme::kMaximum, eps("1"), Neighbours::kAddRemove, 3, 50, 1e-7).value();
  std::vector<CellRow> rows(4 * static_cast<std::size_t>(mechanism.fewest_rows()), CellRow{1, 7});
  rows.push_back({2, 49});
  rows.push_back({9, 49});  // this row is in no cell
  const ReleasedExtremes released = mechanism.release(rows, bits).value();
  CHECK_FALSE(released.cells[0]);
  CHECK(released.cells[1] == 7);
  CHECK_FALSE(released.cells[2]);
  CHECK(released.of(std::array{0U, 1U, 2U}).value() == 7);
  CHECK(mechanism.release({}, bits));  // the database may be empty
}

// Adding or removing a row changes one count and one selection. Replacing a row changes two of each. The claimed loss
// is the sensitivity of the counts divided by their scale, plus the ε of the selections.
TEST_CASE("the claimed loss is the budget that the cells of one row spend") {
  const auto spent = [](Neighbours neighbours, std::uint64_t moved) {
    const CellExtremes mechanism = CellExtremes::create(Extreme::kMinimum, eps("1"), neighbours, 3, 10, 0.1).value();
    const Rational counts = ratio(moved).divided_by(mechanism.counts().scale()).value();
    const Rational selections = mechanism.within_cell().selection().decay().epsilon().times(ratio(moved)).value();
    return counts.plus(selections).value();
  };
  CHECK(spent(Neighbours::kAddRemove, 1) == ratio(1));
  CHECK(spent(Neighbours::kReplaceOne, 2) == ratio(1));
}

TEST_CASE("partitions with parameters out of range are refused") {
  tests::CounterBitSource bits("cell refusals");
  const auto create = [](std::uint32_t cells, std::uint32_t values, double delta) {
    return CellExtremes::create(Extreme::kMaximum, eps("1"), Neighbours::kReplaceOne, cells, values, delta);
  };
  CHECK(create(0, 5, 0.1).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(70'000, 5, 0.1).error().code == ErrorCode::kDomainTooLarge);
  CHECK_FALSE(create(3, 0, 0.1));
  CHECK_FALSE(create(3, 5, 0));
  CHECK_FALSE(create(3, 5, 0.1)->release({}, bits));
}

}  // namespace
}  // namespace hearsay::central
