#include "aggregator/central/extremes/ranked_extreme.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/selection_laws.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

using Rows = std::vector<std::uint32_t>;
constexpr std::uint32_t kValues = 5;

RankedExtreme ranked(Extreme extreme, const char* epsilon, Neighbours neighbours, std::uint32_t values, double delta) {
  return RankedExtreme::create(extreme, Epsilon::parse(epsilon).value(), neighbours, values, delta).value();
}

tests::LogLaw law_of(const RankedExtreme& mechanism, const Rows& rows) {
  return tests::log_law(mechanism.selection(), mechanism.scores(rows).value());
}

// Calls check(a, b) for every table of `size` rows in ascending order, with one row removed or replaced.
template <class Check>
void for_each_pair(std::size_t size, Neighbours neighbours, const Check& check) {
  Rows rows(size);
  for (;;) {
    if (std::ranges::is_sorted(rows)) {
      for (std::size_t i = 0; i < size; ++i) {
        Rows other = rows;
        if (neighbours == Neighbours::kAddRemove) {
          other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
          check(rows, other);
        } else {
          for (other[i] = 0; other[i] < kValues; ++other[i]) check(rows, other);
        }
      }
    }
    std::size_t place = 0;
    while (place < size && ++rows[place] == kValues) rows[place++] = 0;
    if (place == size) return;
  }
}

TEST_CASE("only the row of the agreed rank has the score 0, and scores differ by at most 1 between neighbours") {
  for (const double delta : {0.99, 0.5, 0.1}) {  // ranks 2, 3 and 4 at ε = 2
    const RankedExtreme max = ranked(Extreme::kMaximum, "2", Neighbours::kAddRemove, kValues, delta);
    const RankedExtreme min = ranked(Extreme::kMinimum, "2", Neighbours::kAddRemove, kValues, delta);
    std::int64_t largest = 0;
    for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplaceOne}) {
      for (std::size_t size = 1; size <= 5; ++size) {
        for_each_pair(size, neighbours, [&](const Rows& a, const Rows& b) {
          for (const RankedExtreme& mechanism : {max, min}) {
            const auto scores_a = mechanism.scores(a).value();
            const auto scores_b = mechanism.scores(b).value();
            for (std::size_t v = 0; v < kValues; ++v) largest = std::max(largest, std::abs(scores_a[v] - scores_b[v]));
          }
          if (size < max.rank()) return;
          const auto scores = max.scores(a).value();
          for (std::uint32_t v = 0; v < kValues; ++v) CHECK((scores[v] == 0) == (v == a[size - max.rank()]));
          const auto mirrored = min.scores(a).value();
          for (std::uint32_t v = 0; v < kValues; ++v) CHECK((mirrored[v] == 0) == (v == a[min.rank() - 1]));
        });
      }
    }
    CHECK(largest == 1);
  }
}

TEST_CASE("the loss by the exact law is at most ε, for both kinds of neighbours") {
  for (const char* epsilon : {"0.5", "2"}) {
    const double claimed = std::stod(epsilon);
    for (const Extreme extreme : {Extreme::kMaximum, Extreme::kMinimum}) {
      double worst = 0;
      for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplaceOne}) {
        const RankedExtreme mechanism = ranked(extreme, epsilon, Neighbours::kAddRemove, kValues, 0.6);
        for (std::size_t size = 1; size <= 6; ++size) {
          for_each_pair(size, neighbours, [&](const Rows& a, const Rows& b) {
            const auto law_a = law_of(mechanism, a);
            const auto law_b = law_of(mechanism, b);
            for (std::size_t v = 0; v < kValues; ++v) {
              worst = std::max(worst, static_cast<double>(std::abs(law_a[v] - law_b[v])));
            }
          });
        }
      }
      MESSAGE("claimed " << claimed << ", measured " << worst);
      CHECK(worst <= claimed * (1 + 1e-12));
      CHECK(worst > 0.45 * claimed);
    }
  }
}

// The paper's score -#{rows > v} is the same for the maximum and for every larger value. Here more than 0.9 of the
// probability is above the maximum.
TEST_CASE("with the rank the answer stays at or below the maximum, but with the paper's score it does not") {
  const RankedExtreme mechanism = ranked(Extreme::kMaximum, "1", Neighbours::kReplaceOne, 50, 0.05);
  Rows rows;
  for (std::uint32_t i = 0; i < 400; ++i) rows.push_back(i % 20);
  std::vector<std::int64_t> plain;
  for (std::uint32_t v = 0; v < 50; ++v)
    plain.push_back(-std::ranges::count_if(rows, [v](auto row) { return row > v; }));
  const auto one = Rational::create(1, 1).value();
  const ExponentialMechanism tied(GapDecay::create(one, one, ScoreMovement::kEitherWay).value());
  const auto above = [](const std::vector<long double>& law) {
    long double sum = 0;
    for (std::size_t v = 20; v < 50; ++v) sum += std::exp(law[v]);
    return static_cast<double>(sum);
  };
  CHECK(above(tests::log_law(tied, plain)) > 0.9);
  CHECK(above(law_of(mechanism, rows)) <= 0.05);
}

// 2k - 1 rows are near the extreme, where k is the rank. In at most a share δ of 1,000 runs the answer is not near
// (false alarm 1e-6). As in Theorem 4.4: β = 100, α = 0.05, ε = 5, δ = 0.1.
TEST_CASE("at the stated number of rows, the answer is near the extreme with the stated probability") {
  tests::CounterBitSource bits("ranked usefulness");
  for (const Extreme extreme : {Extreme::kMaximum, Extreme::kMinimum}) {
    const RankedExtreme mechanism = ranked(extreme, "0.05", Neighbours::kReplaceOne, 100, 0.1);
    CHECK(mechanism.rank() == 276);  // ⌈40·ln(990)⌉
    CHECK(mechanism.rows_needed_near() == 551);
    CHECK(mechanism.most_rows_beyond() == 550);
    // The rows near the extreme value 79 are 0 to 5 steps below 79. 3,000 other rows are farther away.
    Rows rows;
    for (std::uint64_t i = 0; i < mechanism.rows_needed_near(); ++i)
      rows.push_back(74 + static_cast<std::uint32_t>(i % 6));
    for (std::uint32_t i = 0; i < 3000; ++i) rows.push_back(i % 74);
    if (extreme == Extreme::kMinimum) {
      for (std::uint32_t& row : rows) row = 99 - row;
    }
    std::uint64_t failures = 0;
    for (int run = 0; run < 1000; ++run) {
      std::uint32_t value = mechanism.release(rows, bits).value();
      if (extreme == Extreme::kMinimum) value = 99 - value;
      if (value < 74 || value > 79) ++failures;
    }
    CHECK(failures <= tests::binomial_band(1000, 0.1, 2e-6).high);
  }
}

// Only 5 rows are near the maximum, fewer than rows_needed_near(). So the answer is elsewhere with probability above
// 0.9.
TEST_CASE("with fewer rows near the maximum than the rank k, the answer is elsewhere") {
  const RankedExtreme mechanism = ranked(Extreme::kMaximum, "0.05", Neighbours::kReplaceOne, 100, 0.1);
  Rows rows(5, 79);
  for (std::uint32_t i = 0; i < 3000; ++i) rows.push_back(i % 20);
  const auto law = law_of(mechanism, rows);
  double near = 0;
  for (std::size_t v = 74; v <= 79; ++v) near += static_cast<double>(std::exp(law[v]));
  CHECK(near < 0.1);
}

TEST_CASE("without rows the answer is uniform if the number of rows is private, and refused if it is public") {
  const RankedExtreme open = ranked(Extreme::kMaximum, "1", Neighbours::kAddRemove, 4, 0.1);
  const std::vector<long double> law = law_of(open, Rows{});
  for (const long double p : law) CHECK(static_cast<double>(p) == doctest::Approx(-std::log(4)));
  tests::CounterBitSource bits("no rows");
  CHECK(open.release(Rows{}, bits).value() < 4);
  const RankedExtreme fixed = ranked(Extreme::kMaximum, "1", Neighbours::kReplaceOne, 4, 0.1);
  CHECK(fixed.release(Rows{}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(fixed.scores(Rows{4, 0xFFFFFFFF, 1}).value() == fixed.scores(Rows{3, 3, 1}).value());
  CHECK(fixed.release(Rows{3}, bits).value() < 4);
}

TEST_CASE("domains and deltas out of range are refused, and extreme deltas give finite ranks") {
  const Epsilon least = Epsilon::parse("0.000001").value();
  const auto code = [&](std::uint32_t values, double delta) {
    return RankedExtreme::create(Extreme::kMaximum, least, Neighbours::kAddRemove, values, delta).error().code;
  };
  CHECK(code(0, 0.1) == ErrorCode::kInvalidArgument);
  CHECK(code((1U << 20U) + 1, 0.1) == ErrorCode::kDomainTooLarge);
  for (const double delta : {0.0, 1.0, -0.1, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(code(10, delta) == ErrorCode::kInvalidArgument);
  }
  tests::CounterBitSource bits("extreme ranks");
  const RankedExtreme far =
      RankedExtreme::create(Extreme::kMinimum, least, Neighbours::kAddRemove, 1U << 20U, 1e-300).value();
  CHECK(far.rank() == static_cast<std::uint64_t>(std::ceil(2e6 * (std::log((1U << 20U) - 1) - std::log(1e-300)))));
  CHECK(far.release(Rows{7}, bits).value() < 1U << 20U);
  const RankedExtreme sharp = ranked(Extreme::kMaximum, "64", Neighbours::kAddRemove, 3, 0.5);
  CHECK(sharp.rank() == 1);
  CHECK(sharp.release(Rows{0, 1, 1}, bits).value() == 1);  // another answer has probability 2e^-32
  const RankedExtreme single = ranked(Extreme::kMaximum, "1", Neighbours::kReplaceOne, 1, 0.1);
  CHECK(single.rank() == 1);
  CHECK(single.release(Rows{0}, bits).value() == 0);
}

}  // namespace
}  // namespace hearsay::central
