// Compares the largest variance of the scores with the least possible variances in many populations.
#include "aggregator/compiler/worst_people_scores.h"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>

#include "aggregator/compiler/compile.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay::compiler {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(Index outputs, Index records, double epsilon, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(1, std::exp(epsilon / 2));
  MatrixXd matrix(outputs, records);
  for (double& entry : matrix.reshaped()) entry = uniform(generator);
  for (Index x = 0; x < records; ++x) matrix.col(x) /= matrix.col(x).sum();
  return matrix;
}

// Returns the least variance of unbiased scores for people with the distribution π. The variance is f'(A'D⁻¹A)⁻¹f -
// (π·f)². A is the matrix, f the function, and D has the probabilities of the outputs on its diagonal.
double least_variance(const MatrixXd& matrix, const VectorXd& people, const VectorXd& function) {
  const VectorXd outputs = matrix * people;
  const MatrixXd information = matrix.transpose() * outputs.cwiseInverse().asDiagonal() * matrix;
  const double mean = people.dot(function);
  return function.dot(information.fullPivLu().solve(function)) - mean * mean;
}

// Returns a lower bound on the largest variance of any unbiased scores: the largest of the least variances over a grid
// of populations of three records.
double least_over_grid(const MatrixXd& matrix, const VectorXd& function) {
  constexpr int kParts = 60;
  double bound = 0;
  for (int a = 0; a <= kParts; ++a) {
    for (int b = 0; a + b <= kParts; ++b) {
      const VectorXd people = Eigen::Vector3d(a, b, kParts - a - b) / kParts;
      bound = std::max(bound, least_variance(matrix, people, function));
    }
  }
  return bound;
}

TEST_CASE("scores are unbiased, no worse than linear scores, and nearly as good as the best scores") {
  double largest_gain = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const MatrixXd matrix = random_matrix(5, 3, 0.5 + seed % 4, seed);
    const StrategyDecoder decoder(matrix);
    const VectorXd function = Eigen::Vector3d(1, seed % 2, 0);
    const VectorXd scores = worst_people_scores(decoder, function).value();
    const VectorXd linear = decoder.scores(function).value();
    CHECK((matrix.transpose() * scores - function).cwiseAbs().maxCoeff() < 1e-14 * (1 + scores.cwiseAbs().maxCoeff()));
    const double worst = largest_variance(decoder.second_moments(scores), function);
    const double of_linear = largest_variance(decoder.second_moments(linear), function);
    CHECK(worst <= of_linear);
    const double bound = least_over_grid(matrix, function);
    CHECK(worst >= bound * (1 - 1e-9));
    CHECK(worst <= bound * 1.01);
    largest_gain = std::max(largest_gain, of_linear / worst - 1);
  }
  CHECK(largest_gain > 0.01);
}

TEST_CASE("the worst mixture of two records has the largest variance") {
  // With second moments s = (3, 2) and values f = (1, 0) the variance is p·3 + (1-p)·2 - p², which is largest at p =
  // 1/2.
  CHECK(largest_variance(Eigen::Vector2d(3, 2), Eigen::Vector2d(1, 0)) == doctest::Approx(2.25).epsilon(1e-9));
  // With s = (5, 1) the largest variance is at the end p = 1.
  CHECK(largest_variance(Eigen::Vector2d(5, 1), Eigen::Vector2d(1, 0)) == doctest::Approx(4).epsilon(1e-9));
}

TEST_CASE(
    "for each report the scores of a query and of its negation add up to 1, and a constant query has constant scores") {
  const StrategyDecoder decoder(random_matrix(40, 8, 1, 7));
  VectorXd function(8);
  function << 1, 0, 0, 1, 1, 0, 0, 0;
  const VectorXd scores = worst_people_scores(decoder, function).value();
  const VectorXd negated = worst_people_scores(decoder, VectorXd::Ones(8) - function).value();
  CHECK((scores + negated - VectorXd::Ones(40)).cwiseAbs().maxCoeff() < 1e-6);
  CHECK((worst_people_scores(decoder, VectorXd::Ones(8)).value() - VectorXd::Ones(40)).cwiseAbs().maxCoeff() < 1e-9);
}

TEST_CASE("a compiled query has its own scores for its worst people") {
  const Task task = tests::strategy_task("b", tests::response_matrix(2));
  Work work;
  const Query query = Query::parse(task.schema(), task.schema()[0].name()).value();
  CHECK(compile(task, query, work)->linear.best_for_worst_people);
}

}  // namespace
}  // namespace hearsay::compiler
