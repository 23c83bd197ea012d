#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "aggregator/central/laplace/histogram.h"
#include "aggregator/central/laplace/noisy_sum.h"
#include "aggregator/central/laplace/partition.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/laplace/grid.h"
#include "tests/unit/aggregator/central/laplace/laws.h"
#include "tests/unit/aggregator/central/laplace/small_databases.h"

namespace hearsay::central {
namespace {

using tests::binomial_band;
using tests::CounterBitSource;
using tests::eps;
using tests::kInfinity;
using tests::kNaN;
using tests::ratio;
using Statistic = std::vector<std::int64_t>;

// Returns the largest loss of a mechanism over all neighbouring databases of up to `records` records.
template <class StatisticOf>
Rational worst_loss(const LaplaceMechanism& laplace, std::uint32_t domain, std::size_t records,
                    const StatisticOf& statistic) {
  Rational worst;
  const auto visit = [&](const Rows& first, const Rows& second) {
    worst = std::max(worst, loss(laplace, statistic(first), statistic(second)));
  };
  if (laplace.neighbours() == Neighbours::kReplaceOne) {
    for_each_replacement(domain, records, visit);
  } else {
    for (std::size_t n = 1; n <= records; ++n) for_each_removal(domain, n, visit);
  }
  return worst;
}

TEST_CASE("a noisy sum loses exactly epsilon for both kinds of neighbours") {
  const std::vector<double> value_of{-0.5, -0.2, 0.0, 0.3, 0.75};  // rounded to quarters: -2, -1, 0, 1, 3 steps
  for (const Neighbours neighbours : {Neighbours::kReplaceOne, Neighbours::kAddRemove}) {
    const NoisySum sum = NoisySum::create(eps("0.4"), -2, 3, grid(-2), neighbours).value();
    const auto statistic = [&](const Rows& rows) {
      std::vector<double> values;
      for (const auto row : rows) values.push_back(value_of[row]);
      return Statistic{sum.statistic(values)};
    };
    CHECK(worst_loss(sum.laplace(), 5, 3, statistic) == ratio(2, 5));
    CHECK(sum.laplace().sensitivity() == (neighbours == Neighbours::kReplaceOne ? ratio(5) : ratio(3)));
  }
}

TEST_CASE("a noisy count is the sum of zeros and ones, with sensitivity 1 for both kinds of neighbours") {
  for (const Neighbours neighbours : {Neighbours::kReplaceOne, Neighbours::kAddRemove}) {
    const NoisySum count = NoisySum::create(eps("1"), 0, 1, grid(0), neighbours).value();
    CHECK(count.laplace().sensitivity() == ratio(1));
    CHECK(count.statistic(std::vector<double>{1, 0, 1, 1}) == 3);
    CHECK(count.statistic({}) == 0);
  }
}

// Makes 1,000 runs for each sum, with values that are not on the grid. The number of failures is within a band of
// false alarm 1e-9.
TEST_CASE("a noisy sum keeps its error bound") {
  CounterBitSource bits("noisy sum");
  const NoisySum sum = NoisySum::create(eps("0.5"), -16, 16, grid(-4), Neighbours::kReplaceOne).value();
  const std::vector<double> values(300, 0.3);
  const double on_grid = sum.error_bound(0, 0.1).value();
  std::uint64_t failures = 0;
  std::uint64_t of_noise = 0;
  for (int i = 0; i < 1000; ++i) {
    const double noisy = sum.release(values, bits);
    if (std::abs(noisy - 90) > sum.error_bound(300, 0.1).value()) ++failures;
    if (std::abs(noisy - 300 * 0.3125) > on_grid) ++of_noise;
  }
  CHECK(failures <= binomial_band(1000, 0.1, 1e-9).high);
  CHECK(binomial_band(1000, 0.1, 1e-9).contains(of_noise));
}

// Tries all pairs of values near the bounds, beyond the bounds and not finite.
TEST_CASE("a value beyond the bounds counts as the nearest bound") {
  const std::vector<double> odd{kNaN, kInfinity, -kInfinity, 1e300, -1e300, 0.5, 0.49, 0.74, 0.99, 1, 1.01, 1.5, 0};
  for (const Neighbours neighbours : {Neighbours::kReplaceOne, Neighbours::kAddRemove}) {
    const NoisySum sum = NoisySum::create(eps("1"), 2, 4, grid(-2), neighbours).value();
    const auto steps = [&](double value) { return sum.statistic(std::vector<double>{value, 0.75}) - 3; };
    CHECK(steps(kNaN) == 2);
    CHECK(steps(kInfinity) == 4);
    CHECK(steps(-kInfinity) == 2);
    CHECK(steps(1.5) == 4);
    CHECK(steps(0) == 2);
    CHECK(steps(0.8) == 3);
    std::int64_t worst = 0;
    for (const double first : odd) {
      if (neighbours == Neighbours::kAddRemove) worst = std::max(worst, std::abs(steps(first)));
      if (neighbours == Neighbours::kAddRemove) continue;
      for (const double second : odd) worst = std::max(worst, std::abs(steps(first) - steps(second)));
    }
    CHECK(sum.laplace().sensitivity() == ratio(static_cast<std::uint64_t>(worst)));
  }
}

// The sums are around 2^61 and differ by one record. Under add-remove the number of records is private.
TEST_CASE("a sum beyond 2^61 is clamped, and neighbouring sums stay within the sensitivity") {
  constexpr std::int64_t kStep = std::int64_t{1} << 59U;
  const NoisySum sum = NoisySum::create(eps("64"), -kStep, kStep, grid(0), Neighbours::kAddRemove).value();
  const auto of = [&](std::size_t records, double each) { return sum.statistic(std::vector<double>(records, each)); };
  CHECK(of(3, 0x1p59) == 3 * kStep);
  CHECK(of(4, 0x1p59) == 4 * kStep);
  CHECK(of(5, 0x1p59) == BinaryGrid::kLargest);
  CHECK(of(900, 0x1p59) == BinaryGrid::kLargest);  // a 64-bit sum would overflow
  CHECK(of(900, -0x1p59) == -BinaryGrid::kLargest);
  // Only the final sum is clamped, so the order does not matter.
  std::vector<double> there_and_back(900, 0x1p59);
  there_and_back.insert(there_and_back.end(), 900, -0x1p59);
  CHECK(sum.statistic(there_and_back) == 0);
}

TEST_CASE("sums with bounds that are out of range are refused") {
  const NoisySum sum = NoisySum::create(eps("1"), -4, 4, grid(-2), Neighbours::kReplaceOne).value();
  CHECK(sum.error_bound(10, 0).error().code == ErrorCode::kInvalidArgument);
  const auto create = [](std::int64_t lower, std::int64_t upper) {
    return NoisySum::create(eps("1"), lower, upper, grid(0), Neighbours::kReplaceOne);
  };
  CHECK(create(1, 1).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(2, 1).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(std::numeric_limits<std::int64_t>::min(), 0).error().code == ErrorCode::kLimitExceeded);
  CHECK(create(0, std::numeric_limits<std::int64_t>::max()).error().code == ErrorCode::kLimitExceeded);
  CHECK(create(0, BinaryGrid::kLargest).error().code == ErrorCode::kScaleTooLarge);
}

TEST_CASE("a histogram loses exactly epsilon, whatever the number of bins") {
  for (const std::uint32_t bins : {2U, 3U, 6U}) {
    for (const Neighbours neighbours : {Neighbours::kReplaceOne, Neighbours::kAddRemove}) {
      const Histogram histogram = Histogram::create(eps("0.6"), bins, neighbours).value();
      const auto statistic = [&](const Rows& rows) { return histogram.statistic(rows); };
      CHECK(worst_loss(histogram.laplace(), bins, 3, statistic) == ratio(3, 5));
      CHECK(histogram.laplace().scale() == (neighbours == Neighbours::kReplaceOne ? ratio(10, 3) : ratio(5, 3)));
    }
  }
}

TEST_CASE("noise that is enough for add-remove is too little for replace-one") {
  const Histogram histogram = Histogram::create(eps("0.6"), 3, Neighbours::kAddRemove).value();
  const Rational moved = loss(histogram.laplace(), histogram.statistic(Rows{0, 1}), histogram.statistic(Rows{2, 1}));
  CHECK(moved == ratio(6, 5));
}

// Makes 1,000 runs at the stated number of people. The number of failures is within a band of false alarm 1e-9.
TEST_CASE("with the stated number of people a histogram is as accurate as stated") {
  CounterBitSource bits("histogram");
  const Histogram histogram = Histogram::create(eps("1"), 8, Neighbours::kReplaceOne).value();
  const std::uint64_t n = histogram.users(0.02, 0.05).value();
  CHECK(n == static_cast<std::uint64_t>(std::ceil(static_cast<double>(histogram.error_bound(0.05).value()) / 0.02)));
  Rows rows;
  for (std::uint64_t i = 0; i < n; ++i) rows.push_back(i % 10 < 5 ? 0 : i % 7);
  const Statistic truth = histogram.statistic(rows);
  std::uint64_t failures = 0;
  std::uint64_t beyond_bound = 0;
  for (int run = 0; run < 1000; ++run) {
    const Statistic noisy = histogram.release(rows, bits);
    std::int64_t worst = 0;
    for (std::size_t i = 0; i < 8; ++i) worst = std::max(worst, std::abs(noisy[i] - truth[i]));
    if (static_cast<double>(worst) > 0.02 * static_cast<double>(n)) ++failures;
    if (worst > static_cast<std::int64_t>(histogram.error_bound(0.05).value())) ++beyond_bound;
  }
  CHECK(failures <= binomial_band(1000, 0.05, 1e-9).high);
  CHECK(beyond_bound >= binomial_band(1000, 0.02, 1e-9).low);
}

TEST_CASE("a histogram without bins is refused, a histogram of no people is noise, and unknown bins do not count") {
  CounterBitSource bits("histogram refusals");
  CHECK(Histogram::create(eps("1"), 0, Neighbours::kAddRemove).error().code == ErrorCode::kInvalidArgument);
  const Histogram histogram = Histogram::create(eps("1"), 2, Neighbours::kAddRemove).value();
  CHECK(histogram.statistic(Rows{2, 1, 0xFFFFFFFF, 1}) == Statistic{0, 2});
  CHECK(histogram.release(Rows{2}, bits).size() == 2);
  CHECK(histogram.release({}, bits).size() == 2);
  CHECK(histogram.users(0, 0.1).error().code == ErrorCode::kInvalidArgument);
  CHECK(histogram.users(0.1, 1).error().code == ErrorCode::kInvalidArgument);
}

// The answer about {0,1} is the number of records. The answer about {2,3} is twice the number of threes, so one record
// changes this answer by up to 2. The value 4 is in no region.
std::vector<Region> two_regions() {
  return {
      {{0, 1}, ratio(1), [](std::span<const std::uint32_t> rows) { return static_cast<std::int64_t>(rows.size()); }},
      {{3, 2}, ratio(2), [](std::span<const std::uint32_t> rows) {
         return 2 * std::count(rows.begin(), rows.end(), 3U);
       }}};
}

TEST_CASE("each record counts in one region's analysis under add-remove and in two under replace-one") {
  for (const Neighbours neighbours : {Neighbours::kReplaceOne, Neighbours::kAddRemove}) {
    const Partition partition = Partition::create(eps("0.5"), 5, two_regions(), neighbours).value();
    CHECK(partition.laplace().sensitivity() == (neighbours == Neighbours::kReplaceOne ? ratio(4) : ratio(2)));
    CHECK(partition.statistic(Rows{0, 4, 3, 1, 3}) == Statistic{2, 4});
    const auto statistic = [&](const Rows& rows) { return partition.statistic(rows); };
    const Rational worst = worst_loss(partition.laplace(), 5, 3, statistic);
    CHECK(worst == (neighbours == Neighbours::kReplaceOne ? ratio(3, 8) : ratio(1, 2)));
  }
  std::vector<Region> alike = two_regions();
  alike[0] = {{0, 1}, ratio(2), [](std::span<const std::uint32_t> rows) {
                return 2 * std::count(rows.begin(), rows.end(), 1U);
              }};
  const Partition partition = Partition::create(eps("0.5"), 5, alike, Neighbours::kReplaceOne).value();
  const auto statistic = [&](const Rows& rows) { return partition.statistic(rows); };
  CHECK(worst_loss(partition.laplace(), 5, 3, statistic) == ratio(1, 2));
}

// Over databases of a fixed size, as in Definition 2, the number of records has the sensitivity 0. With this
// sensitivity the bound would be 0.
TEST_CASE("the sensitivity of a region's analysis must hold for adding and removing a record") {
  const Partition partition = Partition::create(eps("1"), 5, two_regions(), Neighbours::kReplaceOne).value();
  const auto sizes_apart = [&](const Rows& a, const Rows& b) {
    return std::abs(partition.statistic(a)[0] - partition.statistic(b)[0]);
  };
  CHECK(sizes_apart({0, 0, 1}, {1, 0, 1}) == 0);  // the region has as many records as before
  CHECK(sizes_apart({0, 0, 1}, {4, 0, 1}) == 1);  // the region has one record fewer
}

// A region's function comes from the analyst and sees only the region's records. So a throw reveals one bit about these
// records.
TEST_CASE("if a region's function throws or leaves the range, there is still an answer") {
  CounterBitSource bits("partition throwing");
  std::vector<Region> regions = two_regions();
  regions[0].statistic = [](std::span<const std::uint32_t> rows) -> std::int64_t {
    if (rows.size() > 1) throw std::runtime_error("two of them");
    return 0;
  };
  regions[1].statistic = [](std::span<const std::uint32_t> rows) {
    return BinaryGrid::kLargest + static_cast<std::int64_t>(rows.size());
  };
  const Partition partition = Partition::create(eps("64"), 5, regions, Neighbours::kAddRemove).value();
  CHECK(partition.statistic(Rows{0, 0}) == Statistic{0, BinaryGrid::kLargest});
  for (const Rows& rows : {Rows{}, Rows{0}, Rows{0, 0}, Rows{0, 0, 2}, Rows{2, 3, 3}}) {
    CHECK(partition.release(rows, bits).size() == 2);
    CHECK(std::abs(partition.release(rows, bits)[0]) < 3);  // noise of scale 1/32 reaches 3 with probability 1e-41
  }
}

TEST_CASE("regions that do not form a partition are refused") {
  CounterBitSource bits("partition refusals");
  const auto create = [](std::vector<Region> regions, std::uint32_t domain) {
    return Partition::create(eps("1"), domain, std::move(regions), Neighbours::kReplaceOne);
  };
  CHECK(create({}, 5).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(two_regions(), 3).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(two_regions(), 0xFFFFFFFF).error().code == ErrorCode::kDomainTooLarge);
  std::vector<Region> overlapping = two_regions();
  overlapping[1].members.push_back(1);
  CHECK(create(overlapping, 5).error().code == ErrorCode::kInvalidArgument);
  std::vector<Region> twice = two_regions();
  twice[0].members.push_back(0);
  CHECK(create(twice, 5).error().code == ErrorCode::kInvalidArgument);
  std::vector<Region> nameless = two_regions();
  nameless[0].statistic = nullptr;
  CHECK(create(nameless, 5).error().code == ErrorCode::kInvalidArgument);
  std::vector<Region> constant = two_regions();
  constant[0].sensitivity = constant[1].sensitivity = ratio(0);
  CHECK(create(constant, 5).error().code == ErrorCode::kInvalidArgument);
  const Partition partition = create(two_regions(), 5).value();
  CHECK(partition.statistic(Rows{5, 0, 0xFFFFFFFF, 3}) == Statistic{1, 2});
  CHECK(partition.release({}, bits).size() == 2);
  CHECK(partition.error_bound(1).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay::central
