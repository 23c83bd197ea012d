// Compares brackets with an independent convex solver and with singular values, on random matrices.
#include "aggregator/bounds/brackets.h"

#include <doctest/doctest.h>

#include <Eigen/SVD>
#include <cmath>

#include "tests/unit/aggregator/bounds/convex_margin.h"
#include "tests/unit/aggregator/bounds/random_matrix.h"

namespace hearsay::bounds {
namespace {

SignMatrix matrix_of_rows(std::size_t columns, const std::vector<std::int8_t>& entries) {
  return SignMatrix::create(entries.size() / columns, columns, entries).value();
}

// Returns the Forster bound √M/‖A·diag(q)^½‖ for the weights q of the queries. M is the number of records, and A is M
// times the matrix c. The norm is the largest singular value.
double direct_forster(const Eigen::MatrixXd& c, const std::vector<double>& weights) {
  Eigen::MatrixXd weighted = c;
  for (Eigen::Index f = 0; f < c.cols(); ++f) weighted.col(f) *= std::sqrt(weights[static_cast<std::size_t>(f)]);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(weighted);
  return 1 / (std::sqrt(static_cast<double>(c.rows())) * svd.singularValues()[0]);
}

TEST_CASE("margins and Forster bounds of 200 random sign matrices up to 8x8 lie in their brackets") {
  std::mt19937_64 generator(20141107);
  for (int i = 0; i < 200; ++i) {
    const std::size_t rows = 1 + generator() % 8;
    const std::size_t columns = 1 + generator() % 8;
    const SignMatrix matrix = tests::random_matrix(generator, rows, columns, i % 3 == 0 ? 0.3 : 0.5);
    CAPTURE(i);
    const MarginBracket margin = largest_margin(matrix, Average::kRows).value();
    const Eigen::MatrixXd c = tests::average_coefficients(matrix, false);
    const tests::MarginEnclosure independent = tests::convex_margin(c, generator);
    CHECK(margin.low <= independent.high * (1 + 1e-9));
    CHECK(margin.high >= independent.low * (1 - 1e-9));
    CHECK(margin.high <= margin.low * 1.01);
    CHECK(independent.high <= independent.low * 1.05);  // a loose enclosure would show no error
    CHECK(margins_of(matrix, margin.arrangement).least_row_average >= margin.low);

    std::vector<double> weights;
    double sum = 0;
    for (std::size_t f = 0; f < columns; ++f) {
      weights.push_back(static_cast<double>(1 + generator() % 100));
      sum += weights.back();
    }
    for (double& weight : weights) weight /= sum;
    const double bound = forster_bound(matrix, Average::kRows, weights);
    CHECK(bound == doctest::Approx(direct_forster(c, weights)).epsilon(1e-9));
    const ForsterBracket forster = largest_forster_bound(matrix, Average::kRows).value();
    CHECK(forster.low == doctest::Approx(direct_forster(c, forster.weights)).epsilon(1e-9));
    CHECK(bound <= forster.high * (1 + 1e-9));
    CHECK(forster.high <= forster.low * 1.01);
    CHECK(margin.low * forster.low <= 1 + 1e-6);  // Lemma 3: a margin is at most 1 over the Forster bound
  }
}

TEST_CASE("margins averaged over both answers lie in their brackets, and constant queries are left out") {
  std::mt19937_64 generator(7);
  for (int i = 0; i < 60; ++i) {
    const SignMatrix matrix = tests::random_matrix(generator, 2 + generator() % 7, 1 + generator() % 8, 0.35);
    const Eigen::MatrixXd c = tests::average_coefficients(matrix, true);
    CAPTURE(i);
    const Result<MarginBracket> margin = largest_margin(matrix, Average::kClasses);
    if (c.cols() == 0) {
      CHECK(margin.error().code == ErrorCode::kInvalidArgument);
      continue;
    }
    const tests::MarginEnclosure independent = tests::convex_margin(c, generator);
    CHECK(margin->low <= independent.high * (1 + 1e-9));
    CHECK(margin->high >= independent.low * (1 - 1e-9));
    CHECK(margin->high <= margin->low * 1.01);
  }
}

TEST_CASE(
    "error-free margins have brackets within 1 percent, are reached without an error, and are below the margin of all "
    "arrangements") {
  std::mt19937_64 generator(11);
  bool strictly_below = false;
  for (int i = 0; i < 60; ++i) {
    const SignMatrix matrix = tests::random_matrix(generator, 1 + generator() % 8, 1 + generator() % 8);
    CAPTURE(i);
    const MarginBracket all = largest_margin(matrix, Average::kRows).value();
    const MarginBracket error_free = largest_error_free_margin(matrix).value();
    const Margins margins = margins_of(matrix, error_free.arrangement);
    CHECK(margins.least >= 0);
    CHECK(margins.least_row_average >= error_free.low);
    CHECK(error_free.high <= error_free.low * 1.01);
    CHECK(error_free.low <= all.high);
    // The vectors u_x = e_x and v_f = Σ_x A_xf·e_x/√M have no error.
    CHECK(error_free.high >= 1 / std::sqrt(static_cast<double>(matrix.rows())) - 1e-9);
    strictly_below = strictly_below || error_free.high < all.low * 0.99;
  }
  CHECK(strictly_below);
}

TEST_CASE("known margins are right: 1/√N for a Hadamard matrix, 1 for one query, a value between for thresholds") {
  const SignMatrix hadamard = matrix_of_rows(4, {1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1});
  CHECK(largest_margin(hadamard, Average::kRows)->high == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(largest_error_free_margin(hadamard)->low == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(largest_forster_bound(hadamard, Average::kRows)->low == doctest::Approx(2).epsilon(1e-6));
  CHECK(largest_margin(matrix_of_rows(1, {1, -1, -1}), Average::kRows)->low == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("a class with too many records and queries has no bracket, but equal records and equal queries count once") {
  std::mt19937_64 generator(3);
  const SignMatrix large = tests::random_matrix(generator, 80, 60);
  CHECK(largest_margin(large, Average::kRows).error().code == ErrorCode::kLimitExceeded);
  CHECK(largest_error_free_margin(large).error().code == ErrorCode::kLimitExceeded);
  std::vector<std::int8_t> entries(3 * 4000);
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i] = static_cast<std::int8_t>((i / 3 >> (i % 3) & 1U) != 0 ? 1 : -1);
  CHECK(largest_margin(matrix_of_rows(3, entries), Average::kRows)->low ==
        doctest::Approx(1 / std::sqrt(3)).epsilon(1e-4));
}

}  // namespace
}  // namespace hearsay::bounds
