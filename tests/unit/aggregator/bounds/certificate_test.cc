// The check must refuse a certificate that does not prove its claim, even if very little is missing.
#include "aggregator/bounds/certificate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/unit/aggregator/bounds/random_matrix.h"

namespace hearsay::bounds {
namespace {

TEST_CASE("only semidefinite matrices are proved semidefinite") {
  constexpr double kLarge = 0x1p50;
  Eigen::MatrixXd matrix(2, 2);
  matrix << kLarge, kLarge - 1000, kLarge - 1000, kLarge;
  CHECK(proved_semidefinite(matrix));
  matrix << kLarge, kLarge + 1, kLarge + 1, kLarge;  // the eigenvalues are -1 and about 2^51
  CHECK_FALSE(proved_semidefinite(matrix));
  matrix << 1000, 0.5, 0.5, 1000;  // not integers
  CHECK_FALSE(proved_semidefinite(matrix));
  matrix << 1000, 1, 2, 1000;  // not symmetric
  CHECK_FALSE(proved_semidefinite(matrix));
  matrix << 1000, 1, 1, NAN;
  CHECK_FALSE(proved_semidefinite(matrix));
  matrix << 0x1p53, 1, 1, 0x1p53;  // beyond exact arithmetic
  CHECK_FALSE(proved_semidefinite(matrix));
}

TEST_CASE("a singular integer matrix minus the identity is not proved semidefinite, at any size") {
  std::mt19937_64 generator(5);
  for (int size = 2; size <= 40; size += 2) {
    // 2^20·bᵀb has the rank size/2, so its least eigenvalue is 0. After the subtraction the least eigenvalue is -1.
    Eigen::MatrixXd b(size / 2, size);
    for (double& entry : b.reshaped()) entry = static_cast<double>(generator() % 2001) - 1000;
    Eigen::MatrixXd matrix = 0x1p20 * (b.transpose() * b);
    matrix.diagonal().array() -= 1;
    CHECK_FALSE(proved_semidefinite(matrix));
  }
}

// The least eigenvalue is -1. A factorisation has rounding errors larger than 1, so without a shift a factorisation
// would accept some of these matrices.
TEST_CASE("a matrix whose negative eigenvalue is smaller than the rounding errors is not proved semidefinite") {
  constexpr int kSize = 40;
  constexpr std::int64_t kEntry = 14'000'000;  // so all sums are integers below 2^52
  std::mt19937_64 generator(7);
  for (int round = 0; round < 50; ++round) {
    Eigen::MatrixXd b(kSize - 1, kSize);
    for (double& entry : b.reshaped()) {
      entry = static_cast<double>(static_cast<std::int64_t>(generator() % (2 * kEntry)) - kEntry);
    }
    Eigen::MatrixXd matrix = b.transpose() * b;
    REQUIRE(matrix.cwiseAbs().maxCoeff() < 0x1p52);
    matrix.diagonal().array() -= 1;
    CHECK_FALSE(proved_semidefinite(matrix));
  }
}

// Four records and two independent queries. Their largest margin is 1/√2.
SignMatrix independent() { return SignMatrix::create(4, 2, {1, 1, 1, -1, -1, 1, -1, -1}).value(); }

TEST_CASE("a right proof gives its bound, and a smaller diagonal proves nothing") {
  const Averages averages = averages_of(independent(), Average::kRows);
  REQUIRE(averages.rows() == 2);  // records that differ only in the sign count once
  REQUIRE(averages.columns() == 2);
  // The columns are (2, 2) and (2, -2) with weights w. So the checked matrix is diag(d - 8w) for the diagonal d, and
  // the bound is √(16w/(32w)).
  MarginProof proof{{8000001000, 8000001000}, {1e9, 1e9}};
  CHECK(check(averages, proof).value() == doctest::Approx(std::sqrt(0.5)).epsilon(1e-6));
  proof.diagonal = {8000000000 - 1, 8000000000};
  CHECK(check(averages, proof).error().code == ErrorCode::kInvalidArgument);
  for (const MarginProof& bad :
       {MarginProof{{8e9, 8e9}, {0, 0}}, MarginProof{{8e9, 8e9}, {-1, 1e9}}, MarginProof{{8e9}, {1e9, 1e9}},
        MarginProof{{9e9, 9e9, 9e9}, {1e9, 1e9}}, MarginProof{{9e9, 9e9}, {1e9}},
        MarginProof{{9e9, 9e9}, {1e9, 1e9, 1e9}}, MarginProof{{NAN, 9e9}, {1e9, 1e9}},
        MarginProof{{0x1p51, 0x1p51}, {0x1p51, 0x1p51}}}) {
    CHECK(check(averages, bad).error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("a proof for scales beyond exact arithmetic is refused") {
  Averages averages = averages_of(independent(), Average::kRows);
  const MarginProof proof{{9e9, 9e9}, {1e9, 1e9}};
  CHECK(check(averages, proof));
  averages.scales[1] = 0x1p60;
  CHECK(check(averages, proof).error().code == ErrorCode::kInvalidArgument);
}

// The matrix b has entries ±2w, and two singular values of 2√2·w. So these diagonals are enough for weights w = 10^6.
struct ErrorFree {
  Averages averages = averages_of(independent(), Average::kRows);
  double diagonal = std::ceil(2e6 * std::sqrt(2.0)) + 1000;
  ErrorFreeProof proof{{diagonal, diagonal}, {diagonal, diagonal}, {1e6, 1e6}, Eigen::MatrixXd::Zero(2, 2)};

  bool refused() const {
    const Result<double> bound = check(averages, proof);
    return !bound && bound.error().code == ErrorCode::kInvalidArgument;
  }
};

TEST_CASE("a right error-free proof gives its bound, and a smaller diagonal proves nothing") {
  ErrorFree of;
  CHECK(check(of.averages, of.proof).value() == doctest::Approx(std::sqrt(0.5)).epsilon(1e-3));
  of.proof.rows = {2 * of.diagonal, 2 * of.diagonal};
  of.proof.columns = {of.diagonal / 2 + 1000, of.diagonal / 2 + 1000};
  CHECK(check(of.averages, of.proof).value() == doctest::Approx(1.25 * std::sqrt(0.5)).epsilon(2e-3));
  for (std::vector<double> ErrorFreeProof::*side : {&ErrorFreeProof::rows, &ErrorFreeProof::columns}) {
    for (const std::size_t i : {0, 1}) {
      ErrorFree less;
      (less.proof.*side)[i] -= 3000;
      CHECK(less.refused());
    }
  }
}

TEST_CASE("slopes of a proof count, and negative slopes are refused") {
  ErrorFree of;
  of.proof.slopes(0, 1) = -1;
  CHECK(of.refused());
  of.proof.slopes(0, 1) = 1e6;  // a slope that the diagonals do not cover
  CHECK(of.refused());
  of.proof.rows = of.proof.columns = {4e6, 4e6};
  CHECK(check(of.averages, of.proof).value() == doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("an error-free proof of another size, with negative weights or without weights is refused") {
  const auto refused = [](const auto& change) {
    ErrorFree of;
    of.proof.rows = of.proof.columns = {1e9, 1e9};
    REQUIRE_FALSE(of.refused());
    change(of.proof);
    return of.refused();
  };
  CHECK(refused([](ErrorFreeProof& proof) { proof.rows.pop_back(); }));
  CHECK(refused([](ErrorFreeProof& proof) { proof.rows.push_back(1e9); }));
  CHECK(refused([](ErrorFreeProof& proof) { proof.columns.pop_back(); }));
  CHECK(refused([](ErrorFreeProof& proof) { proof.columns.push_back(1e9); }));
  CHECK(refused([](ErrorFreeProof& proof) { proof.weights.push_back(1e6); }));
  CHECK(refused([](ErrorFreeProof& proof) { proof.slopes = Eigen::MatrixXd::Zero(3, 2); }));
  CHECK(refused([](ErrorFreeProof& proof) { proof.slopes = Eigen::MatrixXd::Zero(2, 3); }));
  CHECK(refused([](ErrorFreeProof& proof) { proof.weights = {-1e6, 3e6}; }));
  CHECK(refused([](ErrorFreeProof& proof) { proof.weights = {0, 0}; }));
}

TEST_CASE("the bound of a proof is rounded upwards") {
  std::mt19937_64 generator(9);
  for (int round = 0; round < 100; ++round) {
    ErrorFree of;
    of.proof.rows = {static_cast<double>(1'000'000'000 + generator() % 1'000'000), 1e9};
    of.proof.columns = {1e9, 1e9};
    of.proof.weights = {1e6, static_cast<double>(1'000'000 + generator() % 1000)};
    const long double sum = 3e9L + of.proof.rows[0];
    const long double weight = 1e6L + of.proof.weights[1];
    CHECK(static_cast<long double>(check(of.averages, of.proof).value()) >= sum / (8 * weight));
    const MarginProof proof{{of.proof.rows[0] * 10, 1e10}, of.proof.weights};
    const long double bound = check(of.averages, proof).value();
    CHECK(bound * bound >= (of.proof.rows[0] * 10.0L + 1e10L) / (16 * weight));
  }
}

}  // namespace
}  // namespace hearsay::bounds
