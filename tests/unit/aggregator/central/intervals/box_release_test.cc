#include "aggregator/central/intervals/box_release.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

using Columns = std::vector<std::vector<std::uint64_t>>;

BoxRelease release_of(const std::vector<unsigned>& bits, const char* alpha, std::uint64_t pieces) {
  std::vector<Grid> grids;
  for (const unsigned b : bits) grids.push_back(Grid::create(0, 1, b).value());
  return BoxRelease::create(std::move(grids), Epsilon::parse(alpha).value(), pieces).value();
}

double truth(const Columns& columns, const std::vector<CellInterval>& box) {
  double inside = 0;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    bool in = true;
    for (std::size_t j = 0; j < box.size(); ++j) {
      in = in && box[j].first <= columns[j][i] && columns[j][i] <= box[j].last;
    }
    inside += in ? 1 : 0;
  }
  return inside / static_cast<double>(columns[0].size());
}

Columns mixed_rows(std::size_t n, BitSource& bits) {
  Columns columns(2);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t x = bits.bits(4);
    columns[0].push_back(i % 5 == 0 ? 11 : x);
    columns[1].push_back(i % 5 == 0 ? 3 : i % 2 == 0 ? x : bits.bits(2));
  }
  return columns;
}

// Asks 100 releases about some 300 of the 18,496 boxes. A release fails if an answer exceeds the bound, with
// probability at most 0.05. False alarm: 1e-6.
TEST_CASE("the errors of all boxes are within the bound") {
  tests::CounterBitSource bits("box utility");
  const BoxRelease mechanism = release_of({4, 4}, "4", 8);
  const Columns columns = mixed_rows(20'000, bits);
  const double bound = mechanism.error_bound(20'000, 0.05).value();
  CHECK(bound < 1);
  std::vector<std::vector<CellInterval>> boxes;
  std::vector<double> truths;
  for (std::uint64_t code = 0; code < 65'536; code += 61) {
    const CellInterval first{code % 16, code / 16 % 16};
    const CellInterval second{code / 256 % 16, code / 4096};
    if (first.first > first.last || second.first > second.last) continue;
    boxes.push_back({first, second});
    truths.push_back(truth(columns, boxes.back()));
  }
  CHECK(boxes.size() > 200);
  std::uint64_t failures = 0;
  double worst = 0;
  for (int run = 0; run < 100; ++run) {
    const ReleasedBoxes released = mechanism.release(columns, bits).value();
    double off = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      off = std::max(off, std::abs(released.fraction(boxes[i]).value() - truths[i]));
    }
    worst = std::max(worst, off);
    failures += off > bound ? 1 : 0;
  }
  CHECK(failures <= tests::binomial_band(100, 0.05, 2e-6).high);
  CHECK(worst < 0.3);
}

// With few questions at α = 64 almost all noise is 0. The error is at most (2d-1)/K, with d dimensions and K pieces.
TEST_CASE("almost without noise the only error comes from the division into pieces") {
  tests::CounterBitSource bits("box exact");
  const BoxRelease mechanism = release_of({4, 4}, "64", 8);
  Columns columns(2);
  for (std::uint64_t i = 0; i < 256 * 200; ++i) {
    columns[0].push_back(i % 16);
    columns[1].push_back(i / 16 % 16);
  }
  const ReleasedBoxes released = mechanism.release(columns, bits).value();
  const std::vector<CellInterval> whole{{0, 15}, {0, 15}};
  CHECK(released.fraction(whole).value() == doctest::Approx(1).epsilon(0.01));
  for (std::uint64_t a = 0; a < 16; ++a) {
    const std::vector<CellInterval> box{{0, a}, {a, 15}};
    CHECK(std::abs(released.fraction(box).value() - truth(columns, box)) < 3.0 / 8);
  }
}

// Enumerates every release of a 4×2 grid with 2 rows and 2 pieces, for all 64 databases.
TEST_CASE("the exact law adds up to one, releases follow it, and no two neighbours differ by more than alpha") {
  const BoxRelease mechanism = release_of({2, 1}, "3", 2);
  std::vector<Columns> all;
  for (std::uint64_t code = 0; code < 64; ++code) {
    all.push_back({{code % 4, code / 4 % 4}, {code / 16 % 2, code / 32}});
  }
  std::vector<BoxRelease::Law> laws;
  for (const Columns& columns : all) {
    laws.push_back(mechanism.law(columns).value());
    long double total = 0;
    for (const auto& [points, p] : laws.back()) total += p;
    CHECK(std::abs(total - 1) < 1e-16L);
  }
  long double worst = 0;
  for (std::size_t a = 0; a < 64; ++a) {
    for (std::size_t b = 0; b < 64; ++b) {
      const bool first = all[a][0][0] == all[b][0][0] && all[a][1][0] == all[b][1][0];
      const bool second = all[a][0][1] == all[b][0][1] && all[a][1][1] == all[b][1][1];
      if (first == second) continue;
      for (const auto& [points, p] : laws[a]) worst = std::max(worst, std::log(p / laws[b].at(points)));
    }
  }
  CHECK(worst <= 3.0L + 1e-15L);  // 1e-15 allows for rounding of the logarithm
  CHECK(worst > 3 - 1e-6L);       // the bound is attained, so the later dimensions cost twice

  tests::CounterBitSource bits("box law");
  std::map<std::vector<ReleasedBoxes::Point>, std::uint64_t> seen;
  for (int run = 0; run < 20'000; ++run) ++seen[mechanism.release(all[38], bits).value().points()];
  for (const auto& [points, p] : laws[38]) {  // fewer than 500 bands of false alarm 1e-11
    const tests::Band band = tests::binomial_band(20'000, static_cast<double>(p), 1e-11);
    CHECK(seen[points] >= band.low);
    CHECK(seen[points] <= band.high);
  }
  CHECK(release_of({3, 3}, "1", 4).law({{1}, {7}}).error().code == ErrorCode::kDomainTooLarge);
}

TEST_CASE("the budgets of all questions that a row can touch add up to alpha") {
  const BoxRelease mechanism = release_of({4, 6, 5}, "1", 4);
  // A row touches dimension 1 once, and dimensions 2 and 3 in two slabs each. A search for K pieces among 2^b cells
  // asks at most (K-1)·b questions. From the second dimension on there is also a count.
  const double questions[] = {3 * 4, 3 * 6 + 1, 3 * 5 + 1};
  double spent = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    spent += (j == 0 ? 1 : 2) * questions[j] / mechanism.noise(j).scale().approximate();
  }
  CHECK(spent == doctest::Approx(1).epsilon(1e-12));
  CHECK(mechanism.most_questions() == 12 + 7 * 19 + 49 * 16);
}

TEST_CASE("in one dimension the release asks the questions of the interval release") {
  tests::CounterBitSource bits("box one");
  tests::CounterBitSource same("box one");
  const std::vector<std::uint64_t> cells{1, 1, 4, 9, 12, 12, 12, 15};
  const BoxRelease box = release_of({4}, "1", 8);
  const IntervalRelease interval = IntervalRelease::create(Grid::create(0, 1, 4).value(), Epsilon::parse("1").value(),
                                                           Rational::create(1, 2).value())
                                       .value();
  const ReleasedBoxes first = box.release({cells}, bits).value();
  const ReleasedPoints second = interval.release_cells(cells, same).value();
  for (std::uint64_t y = 0; y < 16; ++y) {
    const std::vector<CellInterval> query{{0, y}};
    CHECK(first.fraction(query).value() == doctest::Approx(second.fraction(query[0]).value()));
  }
}

TEST_CASE("a cell outside of its grid counts as the last cell") {
  const BoxRelease mechanism = release_of({1, 1}, "1", 2);
  CHECK(mechanism.law({{0, 2}, {~std::uint64_t{0}, 0}}).value() == mechanism.law({{0, 1}, {1, 0}}).value());
  tests::CounterBitSource first("boxes off the grid");
  tests::CounterBitSource second("boxes off the grid");
  CHECK(mechanism.release({{0, 2}, {9, 0}}, first)->points() == mechanism.release({{0, 1}, {1, 0}}, second)->points());
}

TEST_CASE("boxes and data that do not fit the grid, and numbers out of range, are refused") {
  tests::CounterBitSource bits("box refusals");
  const BoxRelease mechanism = release_of({3, 3}, "1", 4);
  CHECK_FALSE(mechanism.release({}, bits));
  CHECK_FALSE(mechanism.release({{}, {}}, bits));
  CHECK_FALSE(mechanism.release({{1, 2}, {1}}, bits));
  const ReleasedBoxes released = mechanism.release({{1}, {7}}, bits).value();
  CHECK_FALSE(released.fraction(std::vector<CellInterval>{{0, 1}}));
  CHECK_FALSE(released.fraction(std::vector<CellInterval>{{0, 1}, {2, 1}}));
  CHECK_FALSE(released.fraction(std::vector<CellInterval>{{0, 1}, {0, 8}}));
  CHECK_FALSE(BoxRelease::create({}, Epsilon::parse("1").value(), 4));
  const Grid grid = Grid::create(0, 1, 20).value();
  CHECK_FALSE(BoxRelease::create({grid}, Epsilon::parse("1").value(), 1));
  CHECK(BoxRelease::create({grid, grid, grid}, Epsilon::parse("1").value(), 100).error().code ==
        ErrorCode::kDomainTooLarge);
  for (const double bad : {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_FALSE(mechanism.error_bound(10, bad));
  }
  CHECK_FALSE(mechanism.error_bound(0, 0.5));
}

}  // namespace
}  // namespace hearsay::central
