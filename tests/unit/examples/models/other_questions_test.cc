#include "examples/models/other_questions.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"

namespace hearsay::examples {
namespace {

// Compares the errors of 400 releases with discrete Laplace noise. The RMSE may differ from the standard deviation by
// 30 %. The standard error of the RMSE is half of √5/20, so 30 % are 5.4 standard errors. The noise of the tree and of
// the cut has the scale of an edge. The noise of the sum has the scale of the largest value.
TEST_CASE("the curator's errors agree with the noise, and are below the errors from reports") {
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
  near(1, 2 * std::sqrt(2.0) / 5000);  // noise of scale 2/5000
  near(5, std::sqrt(2.0));
  near(6, std::sqrt(2.0));
  CHECK(found[2].rmse < 20);  // a few ranks below the largest of 5,000 people, on a scale of a hundred values
  for (const std::size_t i : {0U, 1U}) CHECK(10 * found[i].rmse < *found[i].local);
  CHECK(found[3].rmse < 0.1);
  CHECK(found[4].rmse < 0.3);
}

}  // namespace
}  // namespace hearsay::examples
