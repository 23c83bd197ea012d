#include "aggregator/bounds/class_bounds.h"

#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/bounds/named_class.h"

namespace hearsay::bounds {
namespace {

ClassBounds bounds_of_class(const ClassSpec& spec, double epsilon = 0.1) {
  return bounds_of(make_class(spec)->matrix, epsilon, 0.05).value();
}

TEST_CASE("each further attribute doubles the users that parities need, and monomials need few users") {
  double before = 0;
  for (std::uint32_t k = 2; k <= 4; ++k) {
    const ClassBounds parities = bounds_of_class({"parities", k, {}, 2});
    const double queries = std::exp2(k) - 1;
    CHECK(parities.forster.low == doctest::Approx(std::sqrt(queries)).epsilon(1e-6));
    CHECK(parities.margins->row_average.high == doctest::Approx(1 / std::sqrt(queries)).epsilon(1e-6));
    CHECK(parities.needed.theorem3);
    CHECK(parities.needed.most() > 1.9 * before);
    before = parities.needed.most();
  }
  CHECK(bounds_of_class({"monomials", 4, {}, 2}).needed.most() < before);
}

TEST_CASE("the bound of Theorem 4 for an unbalanced class is the bound for the class's best almost balanced subclass") {
  const SignMatrix matrix = make_class({"monomials", 3, {}, 2})->matrix;
  const ClassBounds bounds = bounds_of(matrix, 0.1, 0.05).value();
  CHECK(bounds.imbalance == doctest::Approx(0.75));
  CHECK(bounds.almost_balanced.imbalance < 1);
  CHECK(matrix.almost_balanced(bounds.almost_balanced.imbalance).size() == bounds.almost_balanced.queries);
  for (const double imbalance : {0.0, 0.5, 0.75}) {
    const SignMatrix subclass = matrix.with_columns(matrix.almost_balanced(imbalance));
    const double forster = largest_forster_bound(subclass, Average::kRows)->low;
    CHECK(theorem4_difference(1, 0.1, bounds.almost_balanced.forster, bounds.almost_balanced.imbalance) <=
          theorem4_difference(1, 0.1, forster, imbalance) * (1 + 1e-6));
  }
}

TEST_CASE("the sufficient number of users covers the variance of the instances, which dominates at a large epsilon") {
  const SignMatrix worst = SignMatrix::parse(
                               "1 -1 -1 1 1 -1\n1 1 -1 -1 -1 -1\n-1 1 -1 1 -1 1\n1 1 1 -1 1 1\n-1 -1 -1 -1 -1 1\n"
                               "1 1 -1 -1 -1 -1\n")
                               .value();
  const ClassBounds loud = bounds_of(worst, 64, 0.05).value();
  // For the instances alone, Hoeffding's inequality demands 2·exp(-γ̃²n/8) <= β, where γ̃ is the margin. Equation (20)
  // gives 2 users, whose answer is wrong with probability 0.44.
  const double margin = loud.margins->class_average.low;
  CHECK(loud.users_by_arrangement.value() >= 8 / (margin * margin) * std::log(2 / 0.05));
  // At a small ε the number is that of equation (20), up to 0.1 %.
  const ClassBounds quiet = bounds_of(worst, 0.5, 0.05).value();
  const auto d = static_cast<double>(quiet.margins->class_average.arrangement.records.rows());
  const double printed = 32 * d / std::pow(0.25 * quiet.margins->class_average.low, 2) * std::log(2 / 0.05);
  CHECK(quiet.users_by_arrangement.value() >= printed * (1 - 1e-9));
  CHECK(quiet.users_by_arrangement.value() < 1.001 * printed + 1);
}

TEST_CASE("the solver's rounding errors add no dimension to an arrangement") {
  const ClassBounds bounds = bounds_of_class({"monomials", 3, {}, 2});
  CHECK(bounds.margins->class_average.arrangement.records.rows() == 3);
  CHECK(bounds.margins->class_average.low >= 0.99 * bounds.margins->class_average.high);
}

TEST_CASE("a class that is too large for brackets has a Forster bound at equal weights") {
  const ClassBounds bounds = bounds_of_class({"parities", 7, {}, 2});
  CHECK_FALSE(bounds.margins);
  CHECK(bounds.forster.low == doctest::Approx(std::sqrt(127.0)).epsilon(1e-9));
  CHECK(std::isinf(bounds.forster.high));
}

TEST_CASE("a class of constant queries has margins and Forster bounds of 1") {
  for (const SignMatrix& constant :
       {SignMatrix::create(1, 1, {1}).value(), SignMatrix::create(2, 1, {1, 1}).value(),
        SignMatrix::create(1, 3, {1, -1, 1}).value(), SignMatrix::create(2, 2, {1, -1, 1, -1}).value()}) {
    const ClassBounds bounds = bounds_of(constant, 1, 0.05).value();
    CHECK(bounds.forster.low == doctest::Approx(forster_bound(constant, Average::kRows, bounds.forster.weights)));
    const VectorArrangement& arrangement = bounds.margins->row_average.arrangement;
    CHECK(margins_of(constant, arrangement).least_row_average == bounds.margins->row_average.low);
    CHECK(bounds.margins->error_free.low == 1);
    CHECK(bounds.needed.most() == 1);
    CHECK(bounds.sq_dimension.high == 1);
  }
  CHECK(bounds_of(SignMatrix::create(1, 1, {1}).value(), 0, 0.05).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("values of epsilon and beta out of range are refused") {
  const SignMatrix one = SignMatrix::create(2, 1, {1, -1}).value();
  CHECK(bounds_of(one, 0, 0.05).error().code == ErrorCode::kInvalidArgument);
  CHECK(bounds_of(one, 1, 0.5).error().code == ErrorCode::kInvalidArgument);
  CHECK(bounds_of(one, 1, 0.05)->margins->row_average.low == doctest::Approx(1));
}

}  // namespace
}  // namespace hearsay::bounds
