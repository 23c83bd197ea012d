// For strategies with shifts, compares each decoder with the decoder of the written-out matrix.
#include "aggregator/compiler/shift_strategy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "aggregator/compiler/strategy_decoder.h"
#include "aggregator/compiler/worst_people_scores.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay::compiler {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Case {
  const char* shape;
  std::uint32_t records;
  std::uint32_t rows;
};
constexpr Case kCases[] = {{"r5", 5, 1},       {"b c3", 6, 3},   {"r4 b r3", 24, 2},
                           {"b b b b", 16, 5}, {"r101", 101, 3}, {"r251", 251, 2}};

MatrixXd written_out(const StrategyChannel& channel) {
  MatrixXd matrix(static_cast<Index>(channel.outputs()), static_cast<Index>(channel.records()));
  for (Index x = 0; x < matrix.cols(); ++x) {
    for (Index k = 0; k < matrix.rows(); ++k) {
      matrix(k, x) = std::ldexp(channel.entry(static_cast<std::size_t>(x), static_cast<std::uint32_t>(k)), -32);
    }
  }
  return matrix;
}

MatrixXd random_columns(Index rows, Index columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  MatrixXd numbers(rows, columns);
  for (double& number : numbers.reshaped()) number = uniform(random);
  return numbers;
}

double distance(const MatrixXd& a, const MatrixXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST_CASE("a decoder of a strategy with shifts agrees with the decoder of the written-out matrix") {
  for (const Case& of : kCases) {
    CAPTURE(of.shape);
    const Task task = tests::strategy_task(of.shape, tests::shift_rows(of.rows, of.records, 8));
    const auto& channel = std::get<StrategyChannel>(task.channel().kind());
    const MatrixXd matrix = written_out(channel);
    const StrategyDecoder shifts(channel);
    const StrategyDecoder listed(matrix);
    REQUIRE(shifts.records() == matrix.cols());
    REQUIRE(shifts.outputs() == matrix.rows());
    CHECK(distance(shifts.mean_probabilities(), listed.mean_probabilities()) < 1e-15);
    const MatrixXd people = random_columns(matrix.cols(), 3, 1);
    CHECK(distance(shifts.outputs_of(people), matrix * people) < 1e-13);
    const MatrixXd any = random_columns(matrix.rows(), 3, 2);
    CHECK(distance(shifts.means_of(any), matrix.transpose() * any) < 1e-13);
    CHECK(distance(shifts.second_moments(any), matrix.transpose() * any.cwiseAbs2()) < 1e-13);
    const MatrixXd functions = random_columns(matrix.cols(), 3, 3);
    const MatrixXd scores = shifts.scores(functions).value();
    const MatrixXd same = listed.scores(functions).value();
    const double largest = same.cwiseAbs().maxCoeff();
    CHECK(distance(scores, same) < 1e-9 * (1 + largest));
    CHECK(distance(matrix.transpose() * scores, functions) < 1e-13 * (1 + largest));
  }
}

TEST_CASE("with shifts the scores for the worst people agree with the scores of the written-out matrix") {
  for (const Case& of : kCases) {
    CAPTURE(of.shape);
    const Task task = tests::strategy_task(of.shape, tests::shift_rows(of.rows, of.records, 9));
    const auto& channel = std::get<StrategyChannel>(task.channel().kind());
    const MatrixXd matrix = written_out(channel);
    VectorXd function = VectorXd::Zero(matrix.cols());
    function.segment(1, matrix.cols() / 3).setOnes();
    const VectorXd scores = worst_people_scores(StrategyDecoder(channel), function).value();
    const VectorXd same = worst_people_scores(StrategyDecoder(matrix), function).value();
    CHECK(distance(scores, same) < 1e-6 * same.cwiseAbs().maxCoeff());
    CHECK(distance(matrix.transpose() * scores, function) < 1e-13 * (1 + scores.cwiseAbs().maxCoeff()));
  }
}

// A strategy row of half-circles on an even number of values has no even frequency except 0. So a function that a
// shift by half the circle does not change cannot be estimated, unless the function is constant.
TEST_CASE("a decoder with shifts refuses a function at a frequency that no row has") {
  constexpr Index kValues = 16;
  MatrixXd row(1, kValues);
  row << VectorXd::Constant(kValues / 2, 3).transpose(), VectorXd::Constant(kValues / 2, 1).transpose();
  row /= row.sum();
  const StrategyDecoder decoder(ShiftRows{row, {kValues}});
  VectorXd half = VectorXd::Zero(kValues);
  half.head(kValues / 2).setOnes();
  CHECK(decoder.scores(half));
  VectorXd two = VectorXd::Zero(kValues);
  two[3] = 1;
  two[3 + kValues / 2] = 1;
  const auto refused = decoder.scores(two);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kQueryNotCovered);
  CHECK(refused.error().message == kNotInRowSpace);
  CHECK(distance(decoder.scores(VectorXd::Ones(kValues)).value(), VectorXd::Ones(kValues)) < 1e-12);
}

// A row whose entries are all equal tells nothing. If half of the reports come from such a row, the other rows' scores
// are twice as far from the mean.
TEST_CASE("a row of equal entries doubles the scores of the other rows' outputs and changes nothing else") {
  const MatrixXd rows = random_columns(2, 12, 4).array() + 1;
  MatrixXd with_even(3, 12);
  with_even << rows / rows.sum() / 2, MatrixXd::Constant(1, 12, 1.0 / 24);
  const StrategyDecoder plain(ShiftRows{rows / rows.sum(), {4, 3}});
  const StrategyDecoder diluted(ShiftRows{with_even, {4, 3}});
  const VectorXd function = random_columns(12, 1, 5);
  const VectorXd scores = plain.scores(function).value();
  const VectorXd of_both = diluted.scores(function).value();
  const double mean = function.mean();
  CHECK(distance((of_both.head(24).array() - mean) / 2, scores.array() - mean) < 1e-10);
  CHECK(distance(of_both.tail(12), VectorXd::Constant(12, mean)) < 1e-10);
}

}  // namespace
}  // namespace hearsay::compiler
