#include "tests/unit/aggregator/central/cells/distributive.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "aggregator/central/cells/cell_release.h"
#include "tests/support/bit_sources.h"

namespace hearsay::central {
namespace {

using Rows = std::vector<int>;

// Calls `check` for all databases of `size` rows with values 0..3.
template <class Check>
void for_each_database(int size, const Check& check) {
  for (int code = 0; code < 1 << (2 * size); ++code) {
    Rows rows;
    for (int i = 0; i < size; ++i) rows.push_back(code >> (2 * i) & 3);
    check(rows);
  }
}

// Returns true if merging gives the answer for all divisions by value into two parts. Bit v of a division is the part
// of the value v.
template <class Of, class Merge>
bool distributes(int empty, const Of& of, const Merge& merge) {
  bool equal = true;
  for_each_database(4, [&](const Rows& rows) {
    for (int division = 0; division < 16; ++division) {
      const auto parts = divide<int>(rows, 2, [&](int row) { return static_cast<std::size_t>(division >> row & 1); });
      const auto answers = ask_each(parts.value(), of);
      equal = equal && merge_all(answers, empty, merge) == of(std::span<const int>(rows));
    }
  });
  return equal;
}

int largest(std::span<const int> rows) { return rows.empty() ? -1 : *std::ranges::max_element(rows); }
int sum(std::span<const int> rows) { return std::accumulate(rows.begin(), rows.end(), 0); }
int upper_median(std::span<const int> rows) {
  Rows sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted);
  return sorted.empty() ? -1 : sorted[sorted.size() / 2];
}

TEST_CASE("counts, sums and maxima are distributive, but a median is not") {
  const auto add = [](int a, int b) { return a + b; };
  const auto larger = [](int a, int b) { return std::max(a, b); };
  CHECK(distributes(
      0, [](std::span<const int> rows) { return static_cast<int>(rows.size()); }, add));
  CHECK(distributes(0, sum, add));
  CHECK(distributes(-1, largest, larger));
  CHECK_FALSE(distributes(-1, upper_median, larger));
  CHECK_FALSE(distributes(0, upper_median, add));
}

// The ε of the whole release is the ε of a part, times the largest number of parts that differ between neighbours.
TEST_CASE("an added row touches one part, and a replaced row touches at most two parts") {
  std::uint64_t added = 0;
  std::uint64_t replaced = 0;
  const auto parts_of = [](const Rows& rows) {
    return divide<int>(rows, 4, [](int row) { return static_cast<std::size_t>(row); }).value();
  };
  const auto differing = [](const auto& a, const auto& b) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
    return count;
  };
  for_each_database(3, [&](const Rows& rows) {
    const auto parts = parts_of(rows);
    for (int value = 0; value < 4; ++value) {
      Rows more = rows;
      more.push_back(value);
      added = std::max(added, differing(parts, parts_of(more)));
      Rows changed = rows;
      changed[1] = value;
      replaced = std::max(replaced, differing(parts, parts_of(changed)));
    }
  });
  CHECK(added == cell_sensitivity(Neighbours::kAddRemove, {1, 1}));
  CHECK(replaced == cell_sensitivity(Neighbours::kReplaceOne, {1, 1}));
}

TEST_CASE("a private mechanism can answer about each part") {
  tests::CounterBitSource bits("distributive");
  const auto noise = DiscreteLaplace::create(Rational::create(1, 1).value()).value();
  const Rows rows{0, 0, 1, 3, 3, 3};
  const auto parts = divide<int>(rows, 4, [](int row) { return static_cast<std::size_t>(row); }).value();
  const auto answers = ask_each(
      parts, [&](std::span<const int> part) { return static_cast<std::int64_t>(part.size()) + noise.sample(bits); });
  REQUIRE(answers.size() == 4);
  const auto total = merge_all(answers, std::int64_t{0}, [](std::int64_t a, std::int64_t b) { return a + b; });
  CHECK(total == answers[0] + answers[1] + answers[2] + answers[3]);
  // The sum of 4 noises of scale 1 is beyond 100 with probability below 1e-10.
  CHECK(std::abs(static_cast<double>(total) - 6) < 100);
}

TEST_CASE("a row without a part is refused") {
  const Rows rows{1, 5};
  const auto as_part = [](int row) { return static_cast<std::size_t>(row); };
  CHECK(divide<int>(rows, 5, as_part).error().code == ErrorCode::kInvalidArgument);
  CHECK(divide<int>(rows, 0, as_part).error().code == ErrorCode::kInvalidArgument);
  CHECK(divide<int>(rows, 6, as_part).value()[5] == Rows{5});
  CHECK(divide<int>(Rows{}, 2, as_part).value().size() == 2);
}

}  // namespace
}  // namespace hearsay::central
