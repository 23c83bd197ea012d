#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "aggregator/central/cells/cell_release.h"
#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

struct Row {
  std::uint32_t cell;
  std::int64_t amount;
};
using Database = std::vector<Row>;

CellCube cube_of(const Database& rows, std::uint32_t cells, AmountRange amounts) {
  CellCube cube = CellCube::create({cells}, amounts).value();
  for (const Row& row : rows) REQUIRE(cube.add({&row.cell, 1}, row.amount));
  return cube;
}

// Calls check(a, b) for all neighbouring databases on 3 cells. The databases have two rows, or under add-remove one
// and two rows.
template <class Check>
void for_each_pair(Neighbours neighbours, AmountRange amounts, const Check& check) {
  Database values;
  for (std::uint32_t cell = 0; cell < 3; ++cell) {
    for (std::int64_t amount = amounts.low; amount <= amounts.high; ++amount) values.push_back({cell, amount});
  }
  for (const Row& kept : values) {
    for (const Row& row : values) {
      const CellCube a = cube_of({kept, row}, 3, amounts);
      if (neighbours == Neighbours::kAddRemove) {
        check(a, cube_of({kept}, 3, amounts));
      } else {
        for (const Row& other : values) check(a, cube_of({kept, other}, 3, amounts));
      }
    }
  }
}

std::uint64_t distance(const CellCube& a, const CellCube& b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.cells().size(); ++i)
    sum += static_cast<std::uint64_t>(std::abs(a.cells()[i] - b.cells()[i]));
  return sum;
}

TEST_CASE("the stated sensitivities are the largest distances between neighbours") {
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplaceOne}) {
    for (const AmountRange amounts : {AmountRange{1, 1}, {0, 3}, {-2, 1}, {-3, -1}}) {
      std::uint64_t largest = 0;
      for_each_pair(neighbours, amounts,
                    [&](const CellCube& a, const CellCube& b) { largest = std::max(largest, distance(a, b)); });
      CHECK(largest == cell_sensitivity(neighbours, amounts));
    }
  }
}

// Returns the largest log-ratio over the outputs of the whole cube, from the law of one cell's noise. Outside of the
// enumerated window around the cells the ratio of each coordinate is constant.
double enumerated_loss(const CellRelease& mechanism, const CellCube& a, const CellCube& b) {
  double loss = 0;
  for (std::size_t i = 0; i < a.cells().size(); ++i) {
    double largest = 0;
    for (std::int64_t y = -12; y <= 12; ++y) {
      largest = std::max(largest, mechanism.noise().log_probability(y - a.cells()[i]) -
                                      mechanism.noise().log_probability(y - b.cells()[i]));
    }
    loss += largest;
  }
  return loss;
}

double largest_loss(const CellRelease& mechanism, Neighbours neighbours) {
  double largest = 0;
  for_each_pair(neighbours, mechanism.amounts(), [&](const CellCube& a, const CellCube& b) {
    const double loss = enumerated_loss(mechanism, a, b);
    double distance = 0;
    for (std::size_t i = 0; i < a.cells().size(); ++i)
      distance += static_cast<double>(std::abs(a.cells()[i] - b.cells()[i]));
    CHECK(distance / mechanism.noise().scale().approximate() == doctest::Approx(loss).epsilon(1e-12));
    largest = std::max(largest, loss);
  });
  return largest;
}

TEST_CASE("the release loses exactly its claim between neighbours of the kind that it is made for") {
  for (const char* text : {"0.05", "1", "3"}) {
    const Epsilon epsilon = Epsilon::parse(text).value();
    for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplaceOne}) {
      for (const AmountRange amounts : {AmountRange{1, 1}, {-2, 1}}) {
        const CellRelease mechanism = CellRelease::create(epsilon, neighbours, amounts).value();
        CHECK(largest_loss(mechanism, neighbours) == doctest::Approx(epsilon.approximate()).epsilon(1e-9));
      }
    }
  }
}

// Erratum of the paper. Theorem 5.1 prints Lap(1/(αn)) for fractions, which is Lap(1/α) for counts. Its global
// sensitivity GS = 1/n assumes that n is public.
TEST_CASE("the printed noise is twice too small for replaced rows") {
  const Epsilon alpha = Epsilon::parse("0.5").value();
  const CellRelease printed = CellRelease::create(alpha, Neighbours::kAddRemove).value();
  REQUIRE(printed.noise().scale() == Rational::create(2, 1).value());  // 1/α
  CHECK(largest_loss(printed, Neighbours::kReplaceOne) == doctest::Approx(2 * 0.5).epsilon(1e-9));
  CHECK(largest_loss(printed, Neighbours::kAddRemove) == doctest::Approx(0.5).epsilon(1e-9));
  const CellRelease corrected = CellRelease::create(alpha, Neighbours::kReplaceOne).value();
  CHECK(corrected.noise().scale() == Rational::create(4, 1).value());  // 2/α
}

// Compares the noise of each of two cells with the law. Also compares how often both noises are positive with the rate
// for independent noise. Each comparison has a false alarm of 1e-9. If the scale is a tenth off, the noncentrality of
// the χ² exceeds 1,000, so the test fails.
TEST_CASE("the cells of a release have independent noise of the stated law") {
  tests::CounterBitSource bits("cell release");
  const CellRelease mechanism = CellRelease::create(Epsilon::parse("1").value(), Neighbours::kReplaceOne).value();
  const CellCube cube = cube_of({{0, 1}, {1, 1}, {1, 1}}, 2, {1, 1});
  constexpr int kRuns = 100'000;
  constexpr std::int64_t kEdge = 12;  // outcomes beyond ±kEdge are pooled; each class expects at least 30
  std::map<std::int64_t, double> counts[2];
  std::uint64_t both_positive = 0;
  for (int run = 0; run < kRuns; ++run) {
    const ReleasedCube noisy = mechanism.release(cube, bits).value();
    const std::int64_t first = noisy.cells()[0] - 1;
    const std::int64_t second = noisy.cells()[1] - 2;
    ++counts[0][std::clamp(first, -kEdge, kEdge)];
    ++counts[1][std::clamp(second, -kEdge, kEdge)];
    if (first > 0 && second > 0) ++both_positive;
  }
  const auto law = [&](std::int64_t y) { return std::exp(mechanism.noise().log_probability(y)); };
  double edge = 0;
  double positive = 0;
  for (std::int64_t y = 400; y >= 1; --y) {
    positive += law(y);
    if (y >= kEdge) edge += law(y);
  }
  for (auto& count : counts) {
    double chi_square = 0;
    for (std::int64_t y = -kEdge; y <= kEdge; ++y) {
      const double expected = kRuns * (std::abs(y) == kEdge ? edge : law(y));
      REQUIRE(expected > 30);
      chi_square += (count[y] - expected) * (count[y] - expected) / expected;
    }
    CHECK(chi_square < tests::chi_square_threshold(2 * kEdge, 1e-9));
  }
  CHECK(tests::binomial_band(kRuns, positive * positive, 1e-9).contains(both_positive));
}

TEST_CASE("cubes with another range of amounts, and noise beyond the samplers, are refused") {
  const Epsilon one = Epsilon::parse("1").value();
  tests::CounterBitSource bits("refused");
  const CellRelease count = CellRelease::create(one, Neighbours::kReplaceOne).value();
  const CellCube sums = CellCube::create({2}, {0, 5}).value();
  CHECK(count.release(sums, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(CellRelease::create(one, Neighbours::kReplaceOne, {0, 0}).error().code == ErrorCode::kInvalidArgument);
  CHECK(CellRelease::create(one, Neighbours::kReplaceOne, {2, 1}).error().code == ErrorCode::kInvalidArgument);
  // The largest scale is 2·2^32·10^6 = 2^52.9, which the sampler still accepts.
  const Epsilon least = Epsilon::parse("0.000001").value();
  const auto widest = CellRelease::create(least, Neighbours::kReplaceOne, {-kLargestAmount, kLargestAmount});
  REQUIRE(widest);
  const ReleasedCube noisy = widest->release(CellCube::create({1}, widest->amounts()).value(), bits).value();
  CHECK(std::abs(static_cast<double>(noisy.cells()[0])) < 0x1p60);
  for (const char* text : {"-1", "0", "1e-300", "65", "710", "1e308", "nan"}) {
    CHECK(Epsilon::parse(text).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(CellRelease::create(Epsilon::parse("50").value(), Neighbours::kReplaceOne));
  tests::FailingBitSource none;
  CHECK_THROWS_AS((void)count.release(CellCube::create({2}).value(), none), EntropyError);
}

// The sampler cuts noise off at ±2^62. Without the bound of ±2^61 on published cells, a large cell would have too
// little noise.
TEST_CASE("published cells stay within the range of true cells") {
  tests::CounterBitSource bits("widest cells");
  const DiscreteLaplace widest = DiscreteLaplace::create(Rational::create(1ULL << 54U, 1).value()).value();
  for (int i = 0; i < 50; ++i) {
    CHECK(with_noise(kLargestCell, widest, bits) <= kLargestCell);
    CHECK(with_noise(-kLargestCell, widest, bits) >= -kLargestCell);
  }
}

TEST_CASE("a cube without rows is released like any other cube") {
  tests::CounterBitSource bits("empty");
  const CellRelease mechanism = CellRelease::create(Epsilon::parse("64").value(), Neighbours::kAddRemove).value();
  const ReleasedCube noisy = mechanism.release(CellCube::create({3, 2}).value(), bits).value();
  CHECK(noisy.cells().size() == 6);
  for (const std::int64_t cell : noisy.cells()) CHECK(cell == 0);  // Pr[Y != 0] = 3e-28
}

}  // namespace
}  // namespace hearsay::central
