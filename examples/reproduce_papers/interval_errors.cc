#include "examples/reproduce_papers/interval_errors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/base/try.h"

namespace hearsay::examples {

Result<central::CellCube> bell_cube(const std::vector<std::uint32_t>& shape, double rows) {
  // One row of this cube stands for all rows of its cell: the amounts are counts.
  HEARSAY_TRY(central::CellCube cube, central::CellCube::create(shape, {0, central::kLargestAmount}));
  std::vector<double> weights;
  std::vector<std::vector<std::uint32_t>> cells;
  std::vector<std::uint32_t> cell(shape.size(), 0);
  for (std::size_t i = 0; i < cube.cells().size(); ++i) {
    double weight = 1;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const double place = (cell[k] + 0.5) / shape[k] - 0.4;
      weight *= std::exp(-place * place / 0.05);
    }
    weights.push_back(weight);
    cells.push_back(cell);
    for (std::size_t k = shape.size(); k-- > 0 && ++cell[k] == shape[k];) cell[k] = 0;
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    HEARSAY_CHECK_OK(cube.add(cells[i], std::llround(rows * weights[i] / sum)));
  }
  return cube;
}

Result<IntervalErrors> interval_errors(const central::CellCube& cube, central::Neighbours neighbours,
                                       const std::string& alpha, unsigned releases, unsigned queries,
                                       const Dice& dice) {
  HEARSAY_TRY(const Epsilon epsilon, Epsilon::parse(alpha));
  HEARSAY_TRY(const auto release, central::CellRelease::create(epsilon, neighbours));
  const std::vector<std::int64_t> truth(cube.cells().begin(), cube.cells().end());
  HEARSAY_TRY(const auto exact, central::ReleasedCube::create(cube.shape(), truth));
  const auto rows = static_cast<double>(std::accumulate(truth.begin(), truth.end(), std::int64_t{0}));
  IntervalErrors errors;
  for (unsigned version = 0; version < releases; ++version) {
    std::vector<std::int64_t> noisy;
    for (const std::int64_t cell : truth) noisy.push_back(cell + release.noise().sample(dice.bits));
    HEARSAY_TRY(const auto released, central::ReleasedCube::create(cube.shape(), std::move(noisy)));
    const central::ReleasedCube published = released.nonnegative();
    for (unsigned query = 0; query < queries; ++query) {
      std::vector<central::CellRange> box;
      for (const std::uint32_t size : cube.shape()) {
        std::uniform_int_distribution<std::uint32_t> end(0, size - 1);
        const auto [low, high] = std::minmax({end(dice.made_up), end(dice.made_up)});
        box.push_back({low, high});
      }
      HEARSAY_TRY(const std::int64_t found, published.box(box));
      HEARSAY_TRY(const std::int64_t wanted, exact.box(box));
      const double error = std::abs(static_cast<double>(found - wanted)) / rows;
      errors.mean += error / releases / queries;
      errors.largest = std::max(errors.largest, error);
    }
  }
  return errors;
}

}  // namespace hearsay::examples
