#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "examples/reproduce_papers/interval_errors.h"
#include "tests/support/bit_sources.h"

namespace hearsay::examples {
namespace {

// There is one cell of a thousand rows, and every query is this cell. The error is |Y|/n, with E|Y| = 2q/(1-q²).
// With 4,000 releases the standard error of the mean is at most 0.017 of the mean. The test allows 5.9 standard errors.
TEST_CASE("the errors of intervals are those of the noise") {
  tests::CounterBitSource bits("interval errors");
  std::mt19937_64 made_up(1);
  const auto cube = bell_cube({1}, 1000).value();
  CHECK(cube.cells()[0] == 1000);
  for (const auto& [neighbours, scale] :
       {std::pair{central::Neighbours::kAddRemove, 2.0}, {central::Neighbours::kReplaceOne, 4.0}}) {
    const double q = std::exp(-1 / scale);
    const auto errors = interval_errors(cube, neighbours, "0.5", 4000, 1, {bits, made_up}).value();
    CHECK(errors.mean == doctest::Approx(2 * q / (1 - q * q) / 1000).epsilon(0.1).scale(0));
    CHECK(errors.largest > 5 * errors.mean);
  }
}

TEST_CASE("the made-up cubes have the stated number of rows, and a hump") {
  const auto cube = bell_cube({8, 5}, 1e6).value();
  const auto rows = std::accumulate(cube.cells().begin(), cube.cells().end(), std::int64_t{0});
  CHECK(std::abs(static_cast<double>(rows) - 1e6) <= 20);
  CHECK(*std::max_element(cube.cells().begin(), cube.cells().end()) > 10 * cube.cells().back());
}

// These results do not depend on chance. The sizes are those of the paper, and Theorem 4.4 fails.
TEST_CASE("sizes are those of the paper, and the claims about the published maximum fail") {
  tests::CounterBitSource bits("figures");
  std::mt19937_64 made_up(1);
  std::size_t seen = 0;
  for (const Experiment& experiment : cell_experiments()) {
    if (experiment.name != "sizes" && experiment.name != "uniform") continue;
    const auto figures = experiment.run({bits, made_up}).value();
    for (const Figure& figure : figures) {
      if (figure.paper.empty()) continue;
      ++seen;
      CAPTURE(figure.what);
      const double paper = std::stod(figure.paper);
      const double here = std::stod(figure.here);
      if (experiment.name == "sizes") CHECK(here == doctest::Approx(paper).epsilon(0.01));
      if (experiment.name == "uniform") CHECK(here < paper);
    }
  }
  CHECK(seen == 6);
}

}  // namespace
}  // namespace hearsay::examples
