#include "examples/comparison/reference/hybrid_grids.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hearsay::examples {
namespace {

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST_CASE("the numbers of cells follow the paper's guideline") {
  // The guideline gives (10,000/3·1.7183²·0.49/(2·2.7183))^(1/3) = 9.6 and (0.06·1.7183·(10,000/3/2.7183)^(1/2))^(1/2)
  // = 1.9. Each number is rounded to a power of two.
  const auto few = HybridGrids::create({64, 64}, 1, 10'000);
  CHECK(few.fine() == 8);
  CHECK(few.coarse() == 2);
  // The guideline gives 43.1, which is nearer to 32 than to 64, and 5.9.
  const auto many = HybridGrids::create({64, 100}, 1, 900'000);
  CHECK(many.fine() == 32);
  CHECK(many.coarse() == 4);
  CHECK(HybridGrids::create({10, 100}, 1, 1'000'000).fine() == 8);  // an axis has at most as many cells as values
}

TEST_CASE("negative estimates become 0, and the others share the difference") {
  std::vector<double> estimates{0.9, -0.2, 0.35, 0.01};
  // The sum is 0.26 too large. The estimate 0.01 cannot give up a third of this, so each of the two others gives up
  // 0.25/2.
  make_distribution(estimates);
  CHECK(estimates[0] == doctest::Approx(0.775));
  CHECK(estimates[1] == 0);
  CHECK(estimates[2] == doctest::Approx(0.225));
  CHECK(estimates[3] == 0);
  std::vector<double> none{-1, -2};
  make_distribution(none);
  CHECK(none == std::vector<double>{0.5, 0.5});
}

TEST_CASE("exact grids give the true cells if people are spread evenly within each grid cell") {
  const auto grids = HybridGrids::create({16, 16}, 1, 10'000);
  REQUIRE(grids.fine() == 8);
  REQUIRE(grids.coarse() == 2);
  // The attributes are independent.
  std::vector<double> cells;
  for (std::uint32_t x = 0; x < 16; ++x) {
    for (std::uint32_t y = 0; y < 16; ++y) cells.push_back((1.0 + x / 2) * (9.0 - y / 2));
  }
  HybridGrids::Grids true_grids{std::vector<double>(8), std::vector<double>(8), std::vector<double>(4)};
  const double total = sum_of(cells);
  for (std::uint32_t cell = 0; cell < cells.size(); ++cell) {
    cells[cell] /= total;
    for (std::size_t grid = 0; grid < 3; ++grid) true_grids[grid][grids.parts_of(cell)[grid]] += cells[cell];
  }
  const std::vector<double> estimates = grids.cells(true_grids);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) CHECK(std::abs(estimates[cell] - cells[cell]) < 1e-6);
}

}  // namespace
}  // namespace hearsay::examples
