#include "aggregator/bounds/sq_dimension.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdlib>

#include "aggregator/bounds/brackets.h"
#include "aggregator/bounds/named_class.h"
#include "tests/unit/aggregator/bounds/random_matrix.h"

namespace hearsay::bounds {
namespace {

std::size_t by_subsets(const SignMatrix& matrix) {
  std::size_t best = 0;
  for (unsigned subset = 1; subset < 1U << matrix.columns(); ++subset) {
    const auto size = static_cast<std::size_t>(std::popcount(subset));
    bool fits = true;
    for (std::size_t f = 0; f < matrix.columns(); ++f) {
      for (std::size_t g = 0; g < f; ++g) {
        if ((subset >> f & subset >> g & 1U) == 0) continue;
        long sum = 0;
        for (std::size_t x = 0; x < matrix.rows(); ++x) sum += matrix(x, f) * matrix(x, g);
        fits = fits && static_cast<std::size_t>(std::labs(sum)) * size <= matrix.rows();
      }
    }
    if (fits) best = std::max(best, size);
  }
  return best;
}

TEST_CASE("the statistical query dimension of random matrices agrees with trying all subsets") {
  std::mt19937_64 generator(1994);
  for (int i = 0; i < 30; ++i) {
    const SignMatrix matrix = tests::random_matrix(generator, 2 + generator() % 15, 1 + generator() % 7);
    const SqDimension dimension = sq_dimension(matrix, std::nullopt);
    CHECK(dimension.low == by_subsets(matrix));
    CHECK(dimension.high == dimension.low);
    CHECK(dimension.queries.size() == dimension.low);
  }
}

TEST_CASE("the statistical query dimension never exceeds twice the square of the Forster bound") {
  std::mt19937_64 generator(2003);
  for (int i = 0; i < 10; ++i) {
    const SignMatrix matrix = tests::random_matrix(generator, 8, 7);
    const ForsterBracket forster = largest_forster_bound(matrix, Average::kRows).value();
    CHECK(static_cast<double>(by_subsets(matrix)) <= 2 * forster.high * forster.high + 1e-6);
    CHECK(sq_dimension(matrix, forster.high).low == by_subsets(matrix));
  }
}

TEST_CASE("the statistical query dimension of all parities is their number") {
  const NamedClass parities = make_class({"parities", 5, {}, 2}).value();
  CHECK(sq_dimension(parities.matrix, std::nullopt).low == 31);
}

TEST_CASE("of a class with very many queries only a part is searched") {
  std::mt19937_64 generator(9);
  const SqDimension dimension = sq_dimension(tests::random_matrix(generator, 4, 100'000), std::nullopt);
  CHECK(dimension.low >= 4);  // four queries of four records can be orthogonal, and among 2048 random queries some are
  CHECK(dimension.high == 100'000);
}

}  // namespace
}  // namespace hearsay::bounds
