// Compares HDG (hybrid-dimensional grids, Yang et al. 2020) with a plain simulation of the same mechanism. The
// simulation draws every person's bits one by one. As in the paper, the response matrix of the simulation is over all
// values.
//
// HDG has no variance in closed form. So the test compares mean squared errors over R runs, summed over 60 boxes in a
// table of 16×16 values. The two means may differ by 5.3 standard errors of their difference, a false alarm of 1e-7.
// The test checks that 5.3 standard errors are less than 5 % of the mean. So the test detects a difference of 5 % with
// probability 1/2, and a difference of 8 % for certain.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>

#include "examples/comparison/boxes.h"
#include "examples/comparison/reference/hybrid_grids.h"
#include "examples/comparison/reference/unary_encoding.h"
#include "tests/support/statistics.h"

namespace hearsay::examples {
namespace {

constexpr std::uint32_t kSize = 16;
constexpr std::uint32_t kCells = kSize * kSize;
constexpr std::uint64_t kBoxes = 60;
constexpr int kRuns = 20'500;
constexpr double kEpsilon = 2;

std::vector<std::uint64_t> correlated() {
  std::vector<std::uint64_t> people;
  for (int x = 0; x < static_cast<int>(kSize); ++x) {
    for (int y = 0; y < static_cast<int>(kSize); ++y) people.push_back(std::max(0, 5 - std::abs(x - y) - x / 4));
  }
  return people;
}
const std::vector<std::uint64_t> kPeople = correlated();
const double kUsers = std::accumulate(kPeople.begin(), kPeople.end(), 0.0);

using Parts =
    std::vector<std::array<std::uint32_t, 3>>;  // for each pair of values, its cell in each of the three grids

// Returns the estimates of one grid. people[c] is the number of people in cell c of the grid. Draws every bit of every
// person.
std::vector<double> bit_by_bit(const std::vector<std::uint64_t>& people, std::mt19937_64& random) {
  const double q = 1 / (std::exp(kEpsilon) + 1);
  std::bernoulli_distribution own(0.5);
  std::bernoulli_distribution other(q);
  std::vector<double> ones(people.size());
  double users = 0;
  for (std::size_t part = 0; part < people.size(); ++part) {
    users += static_cast<double>(people[part]);
    for (std::uint64_t person = 0; person < people[part]; ++person) {
      for (std::size_t bit = 0; bit < ones.size(); ++bit) ones[bit] += bit == part ? own(random) : other(random);
    }
  }
  for (double& one : ones) one = (one / users - q) / (0.5 - q);
  return ones;
}

// Computes the frequencies of all values by weighted updates of a matrix. The grids must be consistent distributions.
std::vector<double> matrix_over_values(const Parts& parts, const HybridGrids::Grids& estimates) {
  std::vector<double> matrix(kCells, 1.0 / kCells);
  for (int step = 0; step < 20; ++step) {
    for (std::size_t grid = 0; grid < 3; ++grid) {
      std::vector<double> factors(estimates[grid].size());
      for (std::uint32_t cell = 0; cell < kCells; ++cell) factors[parts[cell][grid]] += matrix[cell];
      for (std::size_t i = 0; i < factors.size(); ++i) {
        factors[i] = factors[i] > 0 ? estimates[grid][i] / factors[i] : 0;
      }
      for (std::uint32_t cell = 0; cell < kCells; ++cell) matrix[cell] *= factors[parts[cell][grid]];
    }
  }
  return matrix;
}

// Alternates two steps: Norm-Sub (no negative cells, sum 1), and consistency between the grids. As in the paper, the
// weight of a grid in a coarse interval is one over the number of the grid's cells in this interval.
void post_process(const HybridGrids& grids, const Parts& parts_of, HybridGrids::Grids& estimates) {
  const auto coarse_interval = [&](std::uint32_t cell, std::size_t attribute) {
    return (attribute == 0 ? cell / kSize : cell % kSize) * grids.coarse() / kSize;
  };
  for (int round = 0; round < 3; ++round) {
    for (std::vector<double>& grid : estimates) make_distribution(grid);
    for (std::size_t attribute = 0; attribute < 2; ++attribute) {
      for (std::uint32_t interval = 0; interval < grids.coarse(); ++interval) {
        std::array<std::vector<std::uint32_t>, 3> parts;  // for each grid that is used: its cells in the interval
        for (std::uint32_t cell = 0; cell < kCells; ++cell) {
          if (coarse_interval(cell, attribute) != interval) continue;
          for (const std::size_t grid : {attribute, std::size_t{2}}) {
            const std::uint32_t part = parts_of[cell][grid];
            if (std::find(parts[grid].begin(), parts[grid].end(), part) == parts[grid].end())
              parts[grid].push_back(part);
          }
        }
        double weighted = 0;
        double weights = 0;
        std::array<double, 3> sums{};
        for (const std::size_t grid : {attribute, std::size_t{2}}) {
          for (const std::uint32_t part : parts[grid]) sums[grid] += estimates[grid][part];
          weighted += sums[grid] / static_cast<double>(parts[grid].size());
          weights += 1 / static_cast<double>(parts[grid].size());
        }
        for (const std::size_t grid : {attribute, std::size_t{2}}) {
          const double change = (weighted / weights - sums[grid]) / static_cast<double>(parts[grid].size());
          for (const std::uint32_t part : parts[grid]) estimates[grid][part] += change;
        }
      }
    }
  }
  for (std::vector<double>& grid : estimates) make_distribution(grid);
}

std::vector<double> plainly(const HybridGrids& grids, const Parts& parts, std::mt19937_64& random) {
  const std::array<std::size_t, 3> sizes{grids.fine(), grids.fine(), grids.coarse() * grids.coarse()};
  std::array<std::vector<std::uint64_t>, 3> people;
  for (std::size_t grid = 0; grid < 3; ++grid) people[grid].resize(sizes[grid]);
  std::uniform_int_distribution<std::size_t> any(0, 2);
  for (std::uint32_t cell = 0; cell < kCells; ++cell) {
    for (std::uint64_t person = 0; person < kPeople[cell]; ++person) {
      const std::size_t grid = any(random);
      ++people[grid][parts[cell][grid]];
    }
  }
  HybridGrids::Grids estimates;
  for (std::size_t grid = 0; grid < 3; ++grid) estimates[grid] = bit_by_bit(people[grid], random);
  post_process(grids, parts, estimates);
  return matrix_over_values(parts, estimates);
}

double squared_errors(const std::vector<double>& cells) {
  const Boxes boxes({kSize, kSize});
  double sum = 0;
  for (std::uint64_t i = 0; i < kBoxes; ++i) {
    const std::vector<Boxes::Interval> box = boxes[i];
    double error = 0;
    for (std::uint32_t x = box[0].first; x <= box[0].second; ++x) {
      for (std::uint32_t y = box[1].first; y <= box[1].second; ++y) {
        error += cells[x * kSize + y] - static_cast<double>(kPeople[x * kSize + y]) / kUsers;
      }
    }
    sum += error * error;
  }
  return sum;
}

struct Mean {
  double value = 0;
  double squared_error = 0;
};

template <class Run>
Mean mean_of_runs(Run&& run, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kRuns; ++i) {
    const double error = squared_errors(run(random));
    sum += error;
    squares += error * error;
  }
  return {sum / kRuns, (squares - sum * sum / kRuns) / (kRuns - 1.0) / kRuns};
}

TEST_CASE("HDG has the errors of a plain simulation") {
  const HybridGrids grids = HybridGrids::create({kSize, kSize}, kEpsilon, 2'000);
  REQUIRE(grids.fine() == 8);  // fewer than the 16 values, so the matrix over values is finer than the grids
  REQUIRE(grids.coarse() == 2);
  Parts parts;
  for (std::uint32_t cell = 0; cell < kCells; ++cell) parts.push_back(grids.parts_of(cell));
  const Mean fast = mean_of_runs([&](std::mt19937_64& random) { return grids.run(kPeople, random); }, 1);
  const Mean plain = mean_of_runs([&](std::mt19937_64& random) { return plainly(grids, parts, random); }, 2);
  const double error = std::sqrt(fast.squared_error + plain.squared_error);
  CAPTURE(fast.value / plain.value);
  const double threshold = tests::normal_threshold(1e-7) * error;
  CHECK(threshold < 0.05 * plain.value);
  CHECK(std::abs(fast.value - plain.value) < threshold);
}

}  // namespace
}  // namespace hearsay::examples
