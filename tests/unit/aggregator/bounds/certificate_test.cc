// A certificate that does not prove its claim is refused, however near it comes.
#include "aggregator/bounds/certificate.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/unit/aggregator/bounds/random_matrix.h"

namespace hearsay::bounds {
namespace {

TEST_CASE("a matrix is proved semidefinite only if it is") {
  constexpr double kLarge = 0x1p50;
  Eigen::MatrixXd matrix(2, 2);
  matrix << kLarge, kLarge - 1000, kLarge - 1000, kLarge;
  CHECK(proved_semidefinite(matrix));
  matrix << kLarge, kLarge + 1, kLarge + 1, kLarge;  // eigenvalue -1, of 2^51
  CHECK_FALSE(proved_semidefinite(matrix));
  matrix << 1000, 0.5, 0.5, 1000;  // no integers
  CHECK_FALSE(proved_semidefinite(matrix));
  matrix << 1000, 1, 2, 1000;  // not symmetric
  CHECK_FALSE(proved_semidefinite(matrix));
  matrix << 1000, 1, 1, NAN;
  CHECK_FALSE(proved_semidefinite(matrix));
  matrix << 0x1p53, 1, 1, 0x1p53;  // beyond exact arithmetic
  CHECK_FALSE(proved_semidefinite(matrix));
}

TEST_CASE("singular integer matrices less one are never proved, at any size") {
  std::mt19937_64 generator(5);
  for (int size = 2; size <= 40; size += 2) {
    // 2^20·bᵀb of rank size/2 has eigenvalue 0; less 1 on the diagonal it is negative.
    Eigen::MatrixXd b(size / 2, size);
    for (double& entry : b.reshaped()) entry = static_cast<double>(generator() % 2001) - 1000;
    Eigen::MatrixXd matrix = 0x1p20 * (b.transpose() * b);
    matrix.diagonal().array() -= 1;
    CHECK_FALSE(proved_semidefinite(matrix));
  }
}

// Four records, two independent queries: γ̄_min is 1/√2.
SignMatrix independent() { return SignMatrix::create(4, 2, {1, 1, 1, -1, -1, 1, -1, -1}).value(); }

TEST_CASE("a true proof gives its bound, and a smaller diagonal none") {
  const Averages averages = averages_of(independent(), Average::kRows);
  REQUIRE(averages.rows() == 2);  // up to the sign
  REQUIRE(averages.columns() == 2);
  // Columns (2, 2) and (2, -2) with weights w: the matrix is diag(d - 8w); M·√(Σd/Σ(w·M²)) = √(16w/(32w)).
  MarginProof proof{{8000001000, 8000001000}, {1e9, 1e9}};
  CHECK(check(averages, proof).value() == doctest::Approx(std::sqrt(0.5)).epsilon(1e-6));
  proof.diagonal = {8000000000 - 1, 8000000000};
  CHECK(check(averages, proof).error().code == ErrorCode::kInvalidArgument);
  for (const MarginProof& bad :
       {MarginProof{{8e9, 8e9}, {0, 0}}, MarginProof{{8e9, 8e9}, {-1, 1e9}}, MarginProof{{8e9}, {1e9, 1e9}},
        MarginProof{{NAN, 9e9}, {1e9, 1e9}}, MarginProof{{0x1p51, 0x1p51}, {0x1p51, 0x1p51}}}) {
    CHECK(check(averages, bad).error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("a true error-free proof gives its bound, and negative slopes none") {
  const Averages averages = averages_of(independent(), Average::kRows);
  // b = ±2w, singular values 2√2·w: diagonals of that size.
  const double diagonal = std::ceil(2e6 * std::sqrt(2.0)) + 1000;
  ErrorFreeProof proof{{diagonal, diagonal}, {diagonal, diagonal}, {1e6, 1e6}, Eigen::MatrixXd::Zero(2, 2)};
  CHECK(check(averages, proof).value() == doctest::Approx(std::sqrt(0.5)).epsilon(1e-3));
  proof.slopes(0, 1) = -1;
  CHECK(check(averages, proof).error().code == ErrorCode::kInvalidArgument);
  proof.slopes(0, 1) = 0;
  proof.rows[0] -= 3000;
  CHECK(check(averages, proof).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay::bounds
