#include "examples/comparison/reference/hybrid_grids.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "examples/comparison/reference/linear_mechanism.h"

namespace hearsay::examples {
namespace {

constexpr int kConsistencyRounds = 3;
constexpr int kMaxUpdates = 100;
constexpr double kConverged = 1e-4;  // updates end when the changes of a round add up to less than this

// Returns the power of two, between 2 and `most`, that is nearest to the guideline.
std::uint32_t granularity(double guideline, std::uint32_t most) {
  std::uint32_t power = 2;
  while (2 * power <= most && guideline - power > 2 * power - guideline) power *= 2;
  return power;
}

// Scales the entries of each part so that they add up to the part's estimate.
void update(std::vector<double>& matrix, const std::vector<double>& estimates,
            const std::function<std::size_t(std::size_t)>& part_of) {
  std::vector<double> sums(estimates.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) sums[part_of(i)] += matrix[i];
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const std::size_t part = part_of(i);
    if (sums[part] > 0) matrix[i] *= estimates[part] / sums[part];
  }
}

}  // namespace

HybridGrids HybridGrids::create(std::array<std::uint32_t, 2> sizes, double epsilon, std::uint64_t users) {
  const double e = std::exp(epsilon);
  const double of_grid = static_cast<double>(users) / 3;
  const std::uint32_t most = std::bit_floor(std::min(sizes[0], sizes[1]));
  constexpr double kAlpha1 = 0.7;
  constexpr double kAlpha2 = 0.03;
  const double one = std::cbrt(of_grid * (e - 1) * (e - 1) * kAlpha1 * kAlpha1 / (2 * e));
  const double two = std::sqrt(2 * kAlpha2 * (e - 1) * std::sqrt(of_grid / e));
  const std::uint32_t coarse = granularity(two, most);
  return {sizes, epsilon, std::max(coarse, granularity(one, most)), coarse};
}

std::array<std::uint32_t, 3> HybridGrids::parts_of(std::uint32_t cell) const {
  const std::uint32_t x = cell / sizes_[1];
  const std::uint32_t y = cell % sizes_[1];
  return {x * fine_ / sizes_[0], y * fine_ / sizes_[1], x * coarse_ / sizes_[0] * coarse_ + y * coarse_ / sizes_[1]};
}

// Two grids estimate each coarse interval of an attribute. Takes a weighted average of the two estimates: an estimate
// that adds up k cells has the weight 1/k. Then spreads the differences over these cells.
void HybridGrids::make_consistent(Grids& grids, std::size_t attribute) const {
  const std::uint32_t nested = fine_ / coarse_;
  std::vector<double>& one = grids[attribute];
  std::vector<double>& two = grids[2];
  for (std::uint32_t i = 0; i < coarse_; ++i) {
    const auto cell = [&](std::uint32_t k) -> double& {
      return two[attribute == 0 ? i * coarse_ + k : k * coarse_ + i];
    };
    double of_one = 0;
    double of_two = 0;
    for (std::uint32_t k = 0; k < nested; ++k) of_one += one[i * nested + k];
    for (std::uint32_t k = 0; k < coarse_; ++k) of_two += cell(k);
    const double mean = (of_one * coarse_ + of_two * nested) / (nested + coarse_);
    for (std::uint32_t k = 0; k < nested; ++k) one[i * nested + k] += (mean - of_one) / nested;
    for (std::uint32_t k = 0; k < coarse_; ++k) cell(k) += (mean - of_two) / coarse_;
  }
}

// Returns the response matrix over the fine intervals of both attributes. The paper's matrix is over single values, but
// is constant within fine intervals.
std::vector<double> HybridGrids::response_matrix(const Grids& grids) const {
  const std::size_t fine = fine_;
  const std::size_t nested = fine_ / coarse_;
  std::vector<double> matrix(fine * fine, 1 / static_cast<double>(fine * fine));
  for (int step = 0; step < kMaxUpdates; ++step) {
    const std::vector<double> before = matrix;
    update(matrix, grids[0], [fine](std::size_t i) { return i / fine; });
    update(matrix, grids[1], [fine](std::size_t i) { return i % fine; });
    update(matrix, grids[2], [=, this](std::size_t i) { return i / fine / nested * coarse_ + i % fine / nested; });
    const double change = std::transform_reduce(matrix.begin(), matrix.end(), before.begin(), 0.0, std::plus<>(),
                                                [](double a, double b) { return std::abs(a - b); });
    if (change < kConverged) break;
  }
  return matrix;
}

std::vector<double> HybridGrids::cells(Grids grids) const {
  for (int round = 0; round < kConsistencyRounds; ++round) {
    for (std::vector<double>& grid : grids) make_distribution(grid);
    for (const std::size_t attribute : {0U, 1U}) make_consistent(grids, attribute);
  }
  for (std::vector<double>& grid : grids) make_distribution(grid);  // so that no estimate is negative in the end
  const std::vector<double> matrix = response_matrix(grids);

  std::vector<double> cells(std::size_t{sizes_[0]} * sizes_[1]);
  std::vector<double> within(matrix.size());  // how many cells of the domain share each entry of the matrix
  const auto entry = [this](std::uint32_t cell) {
    const std::array<std::uint32_t, 3> parts = parts_of(cell);
    return std::size_t{parts[0]} * fine_ + parts[1];
  };
  for (std::uint32_t cell = 0; cell < cells.size(); ++cell) ++within[entry(cell)];
  for (std::uint32_t cell = 0; cell < cells.size(); ++cell) cells[cell] = matrix[entry(cell)] / within[entry(cell)];
  return cells;
}

std::vector<double> HybridGrids::run(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const {
  const UnaryEncoding oracle = UnaryEncoding::optimised(epsilon_);
  const std::array<std::size_t, 3> parts{fine_, fine_, std::size_t{coarse_} * coarse_};
  LinearMechanism three{{}, [this](const LevelValues& grids) { return cells({grids[0], grids[1], grids[2]}); }, {}};
  for (std::size_t grid = 0; grid < parts.size(); ++grid) {
    Level& level = three.levels.emplace_back(Level{oracle, parts[grid], {}});
    for (std::uint32_t cell = 0; cell < histogram.size(); ++cell) level.part_of.push_back(parts_of(cell)[grid]);
  }
  return three.run(histogram, random);
}

void make_distribution(std::vector<double>& estimates) {
  for (;;) {
    double sum = 0;
    std::size_t positive = 0;
    for (const double estimate : estimates) {
      sum += std::max(estimate, 0.0);
      positive += estimate > 0 ? 1 : 0;
    }
    if (positive == 0) {
      std::fill(estimates.begin(), estimates.end(), 1 / static_cast<double>(estimates.size()));
      return;
    }
    const double change = (1 - sum) / static_cast<double>(positive);
    bool done = true;
    for (double& estimate : estimates) {
      estimate = estimate > 0 ? estimate + change : 0;
      done = done && estimate >= 0;
    }
    if (done) return;
  }
}

}  // namespace hearsay::examples
