#include "aggregator/bounds/arrangement_margins.h"

#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/bounds/brackets.h"
#include "aggregator/bounds/named_class.h"

namespace hearsay::bounds {
namespace {

TEST_CASE("margins agree with their definitions for vectors of any norm") {
  const SignMatrix matrix = SignMatrix::create(3, 2, {1, 1, 1, 1, -1, 1}).value();
  VectorArrangement arrangement{Eigen::MatrixXd(2, 3), Eigen::MatrixXd(2, 2)};
  arrangement.records << 5, 0, -1, 0, 3, 0;
  arrangement.queries << 2, 1, 0, 0;
  const Margins margins = margins_of(matrix, arrangement);
  // For the first query the products <u, v> are 1, 0 and -1, and the query's signs are 1, 1 and -1.
  CHECK(margins.row_average[0] == doctest::Approx(2.0 / 3));
  CHECK(margins.class_average[0].value() == doctest::Approx((0.5 + 1) / 2));
  CHECK(margins.row_average[1] == doctest::Approx(0));
  CHECK_FALSE(margins.class_average[1]);  // the query is constant
  CHECK(margins.least == doctest::Approx(-1));
  CHECK(margins.least_row_average == doctest::Approx(0));
  CHECK(margins.least_class_average.value() == doctest::Approx(0.75));
}

TEST_CASE(
    "Theorem 8: at the dimension of equation (22) projected margins are at least an eighth of the margins, and most "
    "are far larger") {
  const NamedClass thresholds = make_class({"thresholds", 1, {}, 6}).value();
  const MarginBracket bracket = largest_margin(thresholds.matrix, Average::kClasses).value();
  // At β = 0.01, one of 5 random seeds fails with probability at most 0.05. The seeds are fixed.
  const double dimensions = dimensions_for_projection(6, 5, bracket.low, 0.01);
  CHECK(dimensions == std::ceil(8 * std::log(4400) + 128 / (bracket.low * bracket.low) * std::log(4000)));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const VectorArrangement projected = random_projection(bracket.arrangement, static_cast<int>(dimensions), seed);
    CHECK(margins_of(thresholds.matrix, projected).least_class_average.value() >= bracket.low / 8);
    for (Eigen::Index x = 0; x < projected.records.cols(); ++x) {
      CHECK(projected.records.col(x).norm() == doctest::Approx(1));  // the padding makes the norm 1
    }
  }
}

TEST_CASE("after padding, the products of all records and queries have one common scale") {
  VectorArrangement arrangement{Eigen::MatrixXd::Identity(4, 4), Eigen::MatrixXd::Identity(4, 4)};
  const VectorArrangement projected = random_projection(arrangement, 3, 9);
  // The products of the projected vectors of record x and query f are symmetric in x and f. Separate scales would
  // break the symmetry.
  const Eigen::MatrixXd products = projected.records.transpose() * projected.queries;
  CHECK((products - products.transpose()).cwiseAbs().maxCoeff() < 1e-12);
}

}  // namespace
}  // namespace hearsay::bounds
