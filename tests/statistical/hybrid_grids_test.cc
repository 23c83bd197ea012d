// HDG against a plain simulation of it: every person's bits are drawn one by one, and the response matrix is over all
// values, as in the paper. There is no variance in closed form.
//
// The mean of R runs' sums of squared errors over all 99 boxes of 4×4 values has a standard error that is itself taken
// from the runs. Two such means are compared at a false alarm of 1e-8, which is 5.7 standard errors of their
// difference; these are checked to be less than 5 % of the mean. So a difference of 5 % is detected with probability
// 1/2, one of 8 % for certain. Cost: about 2 s in a release build.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "examples/comparison/boxes.h"
#include "examples/comparison/reference/hybrid_grids.h"
#include "examples/comparison/reference/unary_encoding.h"
#include "tests/support/statistics.h"

namespace hearsay::examples {
namespace {

constexpr std::uint32_t kSize = 4;
constexpr std::size_t kCells = kSize * kSize;
constexpr int kRuns = 8'000;
constexpr double kEpsilon = 2;
// 200 people, correlated, with an empty corner.
const std::vector<std::uint64_t> kPeople{40, 22, 7, 1, 18, 30, 12, 3, 5, 14, 20, 6, 0, 2, 8, 12};
constexpr std::uint64_t kUsers = 200;

// Estimates of a grid from the bits of each person, who are `people` by part.
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

// The cells by weighted updates of a matrix over all values, from grids that are consistent distributions.
std::vector<double> matrix_over_values(const HybridGrids& grids, const HybridGrids::Grids& estimates) {
  std::vector<double> matrix(kCells, 1.0 / kCells);
  for (int step = 0; step < 100; ++step) {
    for (std::size_t grid = 0; grid < 3; ++grid) {
      for (std::uint32_t part = 0; part < estimates[grid].size(); ++part) {
        double sum = 0;
        for (std::uint32_t cell = 0; cell < kCells; ++cell) {
          if (grids.parts_of(cell)[grid] == part) sum += matrix[cell];
        }
        if (sum <= 0) continue;
        for (std::uint32_t cell = 0; cell < kCells; ++cell) {
          if (grids.parts_of(cell)[grid] == part) matrix[cell] *= estimates[grid][part] / sum;
        }
      }
    }
  }
  return matrix;
}

// Norm-Sub and consistency, in turns, as the paper says them: by the cells that a grid has in a coarse interval.
void post_process(const HybridGrids& grids, HybridGrids::Grids& estimates) {
  const auto coarse_interval = [&](std::uint32_t cell, std::size_t attribute) {
    return (attribute == 0 ? cell / kSize : cell % kSize) * grids.coarse() / kSize;
  };
  for (int round = 0; round < 3; ++round) {
    for (std::vector<double>& grid : estimates) make_distribution(grid);
    for (std::size_t attribute = 0; attribute < 2; ++attribute) {
      for (std::uint32_t interval = 0; interval < grids.coarse(); ++interval) {
        std::array<std::vector<std::uint32_t>, 3> parts;  // of either grid that are in the interval
        for (std::uint32_t cell = 0; cell < kCells; ++cell) {
          if (coarse_interval(cell, attribute) != interval) continue;
          for (const std::size_t grid : {attribute, std::size_t{2}}) {
            const std::uint32_t part = grids.parts_of(cell)[grid];
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

std::vector<double> plainly(const HybridGrids& grids, std::mt19937_64& random) {
  const std::array<std::size_t, 3> sizes{grids.fine(), grids.fine(), grids.coarse() * grids.coarse()};
  std::array<std::vector<std::uint64_t>, 3> people;
  for (std::size_t grid = 0; grid < 3; ++grid) people[grid].resize(sizes[grid]);
  std::uniform_int_distribution<std::size_t> any(0, 2);
  for (std::uint32_t cell = 0; cell < kCells; ++cell) {
    for (std::uint64_t person = 0; person < kPeople[cell]; ++person) {
      const std::size_t grid = any(random);
      ++people[grid][grids.parts_of(cell)[grid]];
    }
  }
  HybridGrids::Grids estimates;
  for (std::size_t grid = 0; grid < 3; ++grid) estimates[grid] = bit_by_bit(people[grid], random);
  post_process(grids, estimates);
  return matrix_over_values(grids, estimates);
}

double squared_errors(const std::vector<double>& cells) {
  const Boxes boxes({kSize, kSize});
  double sum = 0;
  for (std::uint64_t i = 0; i < boxes.count(); ++i) {
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

TEST_CASE("HDG errs as a plain simulation of it does") {
  const HybridGrids grids = HybridGrids::create({kSize, kSize}, kEpsilon, 2'000);
  REQUIRE(grids.fine() == 4);
  REQUIRE(grids.coarse() == 2);
  const Mean fast = mean_of_runs([&](std::mt19937_64& random) { return grids.run(kPeople, random); }, 1);
  const Mean plain = mean_of_runs([&](std::mt19937_64& random) { return plainly(grids, random); }, 2);
  const double error = std::sqrt(fast.squared_error + plain.squared_error);
  CAPTURE(fast.value / plain.value);
  const double threshold = tests::normal_threshold(1e-8) * error;
  CHECK(threshold < 0.05 * plain.value);
  CHECK(std::abs(fast.value - plain.value) < threshold);
}

}  // namespace
}  // namespace hearsay::examples
