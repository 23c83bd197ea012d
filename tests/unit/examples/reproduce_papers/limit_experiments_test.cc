#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "examples/reproduce_papers/figure.h"
#include "tests/support/bit_sources.h"

namespace hearsay::examples {
namespace {

std::vector<Figure> figures_of(const std::string& name) {
  tests::CounterBitSource bits("limits");
  std::mt19937_64 made_up(1);
  const std::vector<Experiment> all = limit_experiments();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Experiment& one) { return one.name == name; });
  REQUIRE(found != all.end());
  return found->run({bits, made_up}).value();
}

// Theorem 5.1. On 2^4 cells the error is that of a good release. On 2^52 cells the search spends its privacy on
// finding the place.
TEST_CASE("with the same rows and privacy, a release of intervals is less useful on a larger domain") {
  const std::vector<Figure> figures = figures_of("growing");
  REQUIRE(figures.size() == 5);
  CHECK(std::stod(figures.front().here) < 0.4);
  CHECK(std::stod(figures.back().here) > 2 * std::stod(figures.front().here));
}

TEST_CASE("the proof of Theorem 7 gives more users than the exact number, for every query and epsilon") {
  const std::vector<Figure> figures = figures_of("users");
  CHECK(figures.size() == 9);
  for (const Figure& figure : figures) {
    CAPTURE(figure.what);
    CHECK(std::stod(figure.paper) > std::stod(figure.here));
  }
}

// The error of the cell release grows like √(2^bits), here by the factor 32. The error of the search comes from its
// pieces.
TEST_CASE("on few cells the cell release beats the search, and its error grows faster with the number of cells") {
  const std::vector<Figure> figures = figures_of("search");
  REQUIRE(figures.size() == 4);
  const auto error = [](const Figure& figure, const std::string& of) {
    return std::stod(figure.here.substr(figure.here.find(of) + of.size()));
  };
  CHECK(error(figures.front(), "cells ") < error(figures.front(), "search "));
  CHECK(error(figures.back(), "cells ") > 8 * error(figures.front(), "cells "));
  CHECK(error(figures.back(), "search ") < 4 * error(figures.front(), "search "));
}

}  // namespace
}  // namespace hearsay::examples
