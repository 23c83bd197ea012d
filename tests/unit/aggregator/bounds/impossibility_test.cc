#include "aggregator/bounds/impossibility.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "aggregator/bounds/brackets.h"

namespace hearsay::bounds {
namespace {

SignMatrix parities_of_two_bits() {
  std::vector<std::int8_t> entries;
  for (unsigned x = 0; x < 4; ++x) {
    for (unsigned mask = 1; mask < 4; ++mask) entries.push_back(std::popcount(x & mask) % 2 == 0 ? 1 : -1);
  }
  return SignMatrix::create(4, 3, entries).value();
}

// The statistical differences between the reports of records with f = 0 and records with f = 1, for the three parities
// f of two bits. Each person answers the conjunction x1 ∧ x2 by randomized response.
struct Differences {
  double mean = 0;
  double least = 1;
};
Differences bent_bit(double epsilon) {
  const SignMatrix matrix = parities_of_two_bits();
  const double margin = std::tanh(epsilon / 2) / 2;  // Pr[yes | x] = 1/2 ± margin
  Differences result;
  for (std::size_t f = 0; f < 3; ++f) {
    double difference = 0;
    for (std::size_t x = 0; x < 4; ++x) difference += matrix(x, f) * (x == 3 ? margin : -margin) / 2;
    result.mean += std::abs(difference) / 3;
    result.least = std::min(result.least, std::abs(difference));
  }
  return result;
}

TEST_CASE(
    "Theorem 4 as printed, without the cube root, is false, but with the cube root the theorem holds for the same "
    "scheme") {
  const double epsilon = 0.1;
  // The columns are orthogonal, so the Forster bound at equal weights is √3.
  const double forster = forster_bound(parities_of_two_bits(), Average::kRows, {1.0 / 3, 1.0 / 3, 1.0 / 3});
  CHECK(forster == doctest::Approx(std::sqrt(3.0)).epsilon(1e-9));
  const double printed = 4 * std::pow(std::expm1(epsilon), 2) / (forster * forster);
  // By the theorem at least 7/8 of the parities are below the printed bound, but every parity exceeds the bound.
  CHECK(bent_bit(epsilon).least > printed);
  CHECK(bent_bit(epsilon).least == doctest::Approx(0.0250).epsilon(1e-2));
  CHECK(printed == doctest::Approx(0.0147).epsilon(1e-2));
  CHECK(bent_bit(epsilon).least <= theorem4_difference(1, epsilon, forster, 0));
  CHECK(theorem4_difference(1, epsilon, forster, 0) == doctest::Approx(theorem3_difference(1, epsilon, forster)));
  CHECK(bent_bit(epsilon).mean <= expected_difference(1, epsilon, forster));
  CHECK(expected_difference(1, epsilon, forster) < std::sqrt(theorem3_u(epsilon, forster)) / 2);
}

TEST_CASE("the bounds of Theorems 3 and 4 agree with their closed forms") {
  CHECK(theorem3_u(1, 2) == doctest::Approx(std::pow(std::exp(1) - 1, 2) / 4));
  CHECK(theorem3_difference(7, 1, 2) == doctest::Approx(28 * std::cbrt(theorem3_u(1, 2))));
  CHECK(theorem4_difference(3, 1, 2, 0.25) ==
        doctest::Approx(1.5 + 12 * std::cbrt(std::pow(std::exp(1) - 1, 2) * (0.25 + 0.5 + 0.25))));
  const UsersNeeded needed = users_needed(0.1, 0.05, 1000, 1000, 0).value();
  const double u = theorem3_u(0.1, 1000);
  CHECK(needed.theorem3.value() == doctest::Approx(0.9 / (4 * std::cbrt(u))));
  CHECK(needed.expectation == doctest::Approx(0.9 * 1000 / std::sinh(0.05)));
  CHECK(needed.hellinger == doctest::Approx(std::pow(0.9 * 1000 / std::expm1(0.05), 2)));
  CHECK(needed.most() == needed.hellinger);
  CHECK_FALSE(users_needed(0.1, 0.05, 1000, 1000, 0.5)->theorem3);
  CHECK(users_needed(5, 0.05, 1, 1, 0)->most() == 1);
}

TEST_CASE("Lemma 1: no test beats the Bayes error, and a weakly useful scheme needs a Bayes error below beta") {
  // Enumerates all tests of one draw from P or Q.
  const std::vector<double> p{0.5, 0.2, 0.2, 0.1};
  const std::vector<double> q{0.1, 0.3, 0.2, 0.4};
  double difference = 0;
  for (std::size_t z = 0; z < 4; ++z) difference += std::abs(p[z] - q[z]) / 2;
  double best = 1;
  for (unsigned test = 0; test < 16; ++test) {
    double error = 0;
    for (std::size_t z = 0; z < 4; ++z) error += ((test >> z & 1U) != 0 ? p[z] : q[z]) / 2;
    best = std::min(best, error);
  }
  CHECK(bayes_error(difference) == doctest::Approx(best));
  CHECK(bayes_error(0) == 0.5);
  CHECK(bayes_error(1) == 0);
  const double users = users_needed(0.1, 0.05, 1000, 1000, 0)->theorem3.value();
  CHECK(bayes_error(theorem3_difference(users, 0.1, 1000)) == doctest::Approx(0.05));
}

TEST_CASE("values of epsilon, beta and the Forster bound that are out of range are refused") {
  for (const auto& needed :
       {users_needed(0, 0.1, 1, 1, 0), users_needed(NAN, 0.1, 1, 1, 0), users_needed(1, 0.5, 1, 1, 0),
        users_needed(1, 0, 1, 1, 0), users_needed(1, NAN, 1, 1, 0), users_needed(1, 0.1, 0, 1, 0),
        users_needed(1, 0.1, 1, 1, 1.5), users_needed(1, 0.1, 1, 1, NAN)}) {
    CHECK(needed.error().code == ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay::bounds
