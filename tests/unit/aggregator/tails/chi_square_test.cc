#include "aggregator/tails/chi_square.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "aggregator/tails/normal.h"

namespace hearsay::tails {
namespace {

TEST_CASE("the tail of χ² agrees with its closed forms") {
  for (const double value : {0.1, 1.0, 3.84, 20.0, 90.0, 300.0}) {
    CAPTURE(value);
    const double half = value / 2;
    // One degree: the square of a normal variable. Two: exponential. Six: a Poisson process of two events at most.
    CHECK(chi_square_upper_tail(value, 1) ==
          doctest::Approx(2 * normal_upper_tail(std::sqrt(value))).scale(0).epsilon(1e-9));
    CHECK(chi_square_upper_tail(value, 2) == doctest::Approx(std::exp(-half)).scale(0).epsilon(1e-12));
    CHECK(chi_square_upper_tail(value, 6) ==
          doctest::Approx(std::exp(-half) * (1 + half + half * half / 2)).scale(0).epsilon(1e-12));
  }
}

TEST_CASE("the tail of χ² at the ends of its range") {
  CHECK(chi_square_upper_tail(0, 3) == 1);
  CHECK(chi_square_upper_tail(-1e-12, 3) == 1);
  CHECK(chi_square_upper_tail(1e6, 3) == 0);
  CHECK(chi_square_upper_tail(std::numeric_limits<double>::infinity(), 1) == 0);
  // For many degrees it is nearly normal about its mean: median at degrees - 2/3.
  CHECK(std::abs(chi_square_upper_tail(65'535 - 2.0 / 3, 65'535) - 0.5) < 1e-4);
}

}  // namespace
}  // namespace hearsay::tails
