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

// Theorem 5.1. On 2^4 cells all rows fit into 16 cells, and the errors are those of a good release. On 2^52 cells the
// search spends its privacy on finding the place: an error of 1 is that of a release that knows nothing.
TEST_CASE("a release of intervals loses usefulness as the domain grows, with the same rows and the same privacy") {
  const std::vector<Figure> figures = figures_of("growing");
  REQUIRE(figures.size() == 5);
  CHECK(std::stod(figures.front().here) < 0.4);
  CHECK(std::stod(figures.back().here) > 2 * std::stod(figures.front().here));
}

TEST_CASE("the users that Theorem 7's proof gives are more than the exact number, for every query and epsilon") {
  const std::vector<Figure> figures = figures_of("users");
  CHECK(figures.size() == 9);
  for (const Figure& figure : figures) {
    CAPTURE(figure.what);
    CHECK(std::stod(figure.paper) > std::stod(figure.here));
  }
}

// The error of cells grows like √(2^bits), 32-fold here. The error of the search comes from its pieces.
TEST_CASE("cell release beats the search on few cells, and loses accuracy faster as the cells grow more") {
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
