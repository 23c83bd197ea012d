#include "examples/comparison/reference/linear_mechanism.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

namespace hearsay::examples {
namespace {

double c_squared(double epsilon) { return std::pow((std::exp(epsilon) + 1) / (std::exp(epsilon) - 1), 2); }

std::vector<double> one_cell(std::size_t cells) {
  std::vector<double> function(cells);
  function.front() = 1;
  return function;
}

std::vector<double> everybody_in(std::size_t cell, std::size_t cells) {
  std::vector<double> parts(cells);
  parts[cell] = 1;
  return parts;
}

TEST_CASE("at ε = 1 the variance of OUE is 3.68 for a rare value, and 4 times the limit for a common value") {
  const auto oue = plain(UnaryEncoding::optimised(1), 64);
  const double rare = oue.variance(one_cell(64), everybody_in(1, 64));
  CHECK(rare == doctest::Approx(c_squared(1) - 1));
  CHECK(std::abs(rare - 3.68) < 0.005);
  CHECK(oue.worst_variance(one_cell(64)) / (c_squared(1) / 4) == doctest::Approx(4).epsilon(2e-4));
  const auto hadamard = plain(HadamardResponse::create(64, 1), 64);
  CHECK(hadamard.variance(one_cell(64), everybody_in(1, 64)) == doctest::Approx(c_squared(1)));
  // For 64 values subset selection is better than OUE. For 4,096 values the two are nearly equal.
  const auto few = plain(SubsetSelection::create(64, 1), 64);
  const auto many = plain(SubsetSelection::create(4096, 1), 4096);
  CHECK(few.variance(one_cell(64), everybody_in(1, 64)) < 0.97 * rare);
  CHECK(many.variance(one_cell(4096), everybody_in(1, 4096)) == doctest::Approx(rare).epsilon(1e-3));
}

TEST_CASE("the largest variance over all populations is found") {
  // For a query of m cells OUE has the variance m(c²-1) + 2s - s², where s is the share of people in these cells. This
  // variance is largest at s = 1.
  const auto oue = plain(UnaryEncoding::optimised(2), 10);
  std::vector<double> function(10);
  for (std::size_t m = 1; m < 10; ++m) {
    function[m - 1] = 1;
    const double expected = static_cast<double>(m) * (c_squared(2) - 1) + 1;
    CHECK(oue.worst_variance(function) == doctest::Approx(expected).epsilon(2e-4));
    CHECK(oue.worst_variance(function, expected + 1.01) == 0);  // no population exceeds expected + 1
  }
  // The worst mixture has a share p of the second vertex, and the rest of the first. Its variance 1 + p/2 - p² is
  // largest at p = 1/4.
  CHECK(largest_variance({{1, {0}}, {1.5, {1}}, {1.2, {1}}}) == doctest::Approx(1 + 1.0 / 16).epsilon(2e-4));
}

// Enumerates all reports about five cells. A report is a set of cells.
TEST_CASE("subset selection is private and unbiased, and has the derived variance") {
  constexpr std::size_t kCells = 5;
  const std::vector<double> weights{1, -0.5, 0, 2, 1};
  for (const double epsilon : {0.2, 1.0, 3.0}) {
    const auto mechanism = SubsetSelection::create(kCells, epsilon);
    const std::vector<double> variances = mechanism.report_variances(weights);
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      double with = 0;  // the probability of all sets that hold the cell
      double without = 0;
      for (unsigned set = 0; set < 1U << kCells; ++set) {
        if (static_cast<std::size_t>(std::popcount(set)) != mechanism.chosen()) continue;
        (set >> cell & 1U ? with : without) += 1;
      }
      CHECK(mechanism.p() / with / ((1 - mechanism.p()) / without) == doctest::Approx(std::exp(epsilon)));
      double mean = 0;
      double square = 0;
      for (unsigned set = 0; set < 1U << kCells; ++set) {
        if (static_cast<std::size_t>(std::popcount(set)) != mechanism.chosen()) continue;
        std::vector<std::uint64_t> report(kCells);
        for (std::size_t i = 0; i < kCells; ++i) report[i] = set >> i & 1U;
        const std::vector<double> estimates = mechanism.estimate(report, 1);
        double sum = 0;
        for (std::size_t i = 0; i < kCells; ++i) sum += weights[i] * estimates[i];
        const double probability = set >> cell & 1U ? mechanism.p() / with : (1 - mechanism.p()) / without;
        mean += probability * sum;
        square += probability * sum * sum;
      }
      CHECK(mean == doctest::Approx(weights[cell]));
      CHECK(variances[cell] == doctest::Approx(square - mean * mean));
    }
  }
}

TEST_CASE("subset selection of one cell is k-ary randomized response") {
  const std::vector<double> weights{1, -0.5, 0, 2, 1};
  const auto subsets = SubsetSelection::create(5, 3);
  REQUIRE(subsets.chosen() == 1);
  const std::vector<double> kary = KaryResponse::create(5, 3).report_variances(weights);
  for (std::size_t cell = 0; cell < 5; ++cell) {
    CHECK(subsets.report_variances(weights)[cell] == doctest::Approx(kary[cell]));
  }
}

// Enumerates all reports about four nodes. A report is a column and a sign.
TEST_CASE("a signed Hadamard response is unbiased and has the derived variance") {
  const double truth = std::exp(1.0) / (std::exp(1.0) + 1);
  const SignedHadamard mechanism(1);
  const std::vector<double> weights{1, -1, -0.5, 0.5, 0, 0, 2, -2};
  for (std::size_t cell = 0; cell < weights.size(); ++cell) {
    double mean = 0;
    double square = 0;
    for (std::size_t report = 0; report < weights.size(); ++report) {
      std::vector<std::uint64_t> reports(weights.size());
      reports[report] = 1;
      const std::vector<double> estimates = mechanism.estimate(reports, 1);
      double sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * estimates[i];
      const bool minus = (std::popcount(cell / 2 & report / 2) + static_cast<int>(cell % 2)) % 2 != 0;
      const double probability = (minus == (report % 2 != 0) ? truth : 1 - truth) / 4;
      mean += probability * sum;
      square += probability * sum * sum;
    }
    CHECK(mean == doctest::Approx(weights[cell]));
    CHECK(mechanism.report_variances(weights)[cell] == doctest::Approx(square - mean * mean));
  }
}

}  // namespace
}  // namespace hearsay::examples
