#include "examples/models/other_questions.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"

namespace hearsay::examples {
namespace {

// Errors of discrete Laplace noise, from 400 releases each. The RMSE is within a quarter of the standard deviation.
// This is 5.6 times the standard error of the RMSE, which is half of √5/20, the standard error of a mean of squares.
// The noise of the tree and of the cut has the scale of an edge; the noise of the sum has the scale of the largest
// value.
TEST_CASE("the curator's errors agree with the noise, and are below the errors of reports") {
  tests::CounterBitSource bits("other questions");
  PopulationGenerator made_up(3);
  const auto found = other_questions(tests::eps("1"), 5000, 400, Randomness{bits, made_up}).value();
  REQUIRE(found.size() == 7);
  const auto near = [&](std::size_t i, double deviation) {
    CAPTURE(found[i].question);
    CHECK(found[i].rmse > 0.7 * deviation);
    CHECK(found[i].rmse < 1.3 * deviation);
  };
  near(0, 99 * std::sqrt(2.0));
  near(1, 2 * std::sqrt(2.0) / 5000);  // γ = 1, and 2γ moves if a row is replaced
  near(5, std::sqrt(2.0));
  near(6, std::sqrt(2.0));
  CHECK(found[2].rmse < 20);  // a few ranks below the largest of 5,000 people, on a scale of a hundred values
  for (const std::size_t i : {0U, 1U}) CHECK(10 * found[i].rmse < *found[i].local);
  CHECK(found[3].rmse < 0.1);
  CHECK(found[4].rmse < 0.3);
}

}  // namespace
}  // namespace hearsay::examples
