// Audits mechanisms over unusual records: NaN, infinities, unknown categories, rows beyond their bound. The audit
// counts an error as an output. So a mechanism that refuses such a record is refuted.
#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <span>
#include <stdexcept>

#include "aggregator/central/audit/central_audit.h"
#include "aggregator/central/audit/entries.h"
#include "aggregator/central/cells/cell_release.h"
#include "aggregator/central/extremes/ranked_extreme.h"
#include "aggregator/central/halfspaces/halfspace_release.h"
#include "aggregator/central/laplace/covariance.h"
#include "aggregator/central/laplace/distance_to_set.h"
#include "aggregator/central/laplace/histogram.h"
#include "aggregator/central/laplace/mean_vector.h"
#include "aggregator/central/laplace/noisy_sum.h"
#include "aggregator/central/laplace/partition.h"
#include "aggregator/central/laplace/weighted_graph.h"
#include "aggregator/central/synthetic/linear_release.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"

namespace hearsay::central {
namespace {

using tests::eps;
using tests::kInfinity;
using tests::kNaN;
using tests::ratio;

constexpr std::array<double, 7> kReals{kNaN, kInfinity, -kInfinity, -1e300, 0.75, 1, 2.5};
constexpr std::uint32_t kRealValues = kReals.size();
const BinaryGrid kGrid = BinaryGrid::create(-2).value();

AuditSettings databases(std::uint32_t domain, std::uint32_t rows) { return {eps("1"), eps("1"), domain, rows}; }

// Audits the mechanism's statistic with its own noise, over all neighbours. `input_of` turns rows into the mechanism's
// input.
template <class Mechanism, class InputOf>
void check(const AuditSettings& settings, const Mechanism& mechanism, InputOf input_of) {
  const auto statistic = [&](const Rows& rows) { return Result(mechanism.statistic(input_of(rows))); };
  const WorstPair worst =
      audit(integer_noise(settings, mechanism.laplace().neighbours(), true, mechanism.laplace().scale(), statistic), 1)
          .value()
          .worst;
  CHECK(worst.verdict == Verdict::kConfirmed);
  CHECK(worst.low > 0.5);
}

std::vector<double> reals(const Rows& rows) {
  std::vector<double> values;
  for (const std::uint32_t row : rows) values.push_back(kReals[row]);
  return values;
}

// Returns the rows as records of two coordinates. Each coordinate is one of a few unusual values.
std::vector<double> points(const Rows& rows) {
  constexpr std::array<double, 5> kOdd{kNaN, -kInfinity, 1e300, 0, 0.75};
  std::vector<double> values;
  for (const std::uint32_t row : rows) values.insert(values.end(), {kOdd[row / 5], kOdd[row % 5]});
  return values;
}

TEST_CASE("sums, histograms and partitions have an answer for every record") {
  for (const Neighbours neighbours : {kReplace, kAdd}) {
    check(databases(kRealValues, 2), NoisySum::create(eps("1"), -3, 4, kGrid, neighbours).value(), reals);
    check(databases(kRealValues, 2), NoisySum::create(eps("1"), 2, 4, kGrid, neighbours).value(), reals);
    const auto as_they_are = [](const Rows& rows) { return rows; };
    check(databases(4, 3), Histogram::create(eps("1"), 3, neighbours).value(), as_they_are);
    // Throws if there are two records. A throw counts as 0, so the sensitivity is 1.
    const auto throwing = [](std::span<const std::uint32_t> rows) -> std::int64_t {
      if (rows.size() == 2) throw std::runtime_error("two");
      return rows.size() % 2 == 1 ? 1 : 0;
    };
    const auto at_the_end = [](std::span<const std::uint32_t> rows) {
      return kLargestStatistic - 1 + static_cast<std::int64_t>(rows.size());
    };
    const Partition partition =
        Partition::create(eps("1"), 3, {{{0}, ratio(1), throwing}, {{1}, ratio(1), at_the_end}}, neighbours).value();
    check(databases(4, 3), partition, as_they_are);
  }
}

TEST_CASE("means, covariances and distances have an answer for every record") {
  check(databases(25, 2), MeanVector::create(eps("1"), {2, 4, kGrid}, kReplace).value(), points);
  check(databases(25, 2), Covariance::create(eps("1"), {2, 4, kGrid}, 2, kReplace).value(), points);
  const auto zeros = [](std::span<const std::uint32_t> rows) { return rows[0] == 0 && rows[1] == 0; };
  check(databases(4, 2), DistanceToSet::create(eps("1"), 3, 2, zeros, kReplace).value(),
        [](const Rows& rows) { return rows; });
}

// The records are the weights of the three edges of a triangle.
TEST_CASE("networks have an answer for every weight") {
  const auto triangle = [](const Rows& rows) {
    return std::vector<WeightedEdge>{{0, 1, kReals[rows[0]]}, {0, 2, kReals[rows[1]]}, {1, 2, kReals[rows[2]]}};
  };
  for (const GraphMeasure measure : {GraphMeasure::kMinimumCut, GraphMeasure::kMinimumSpanningTree}) {
    check(databases(kRealValues, 3), GraphMechanism::create(eps("1"), measure, 3, 2, kReplace).value(), triangle);
  }
  // Here each record is an edge, and some edges are impossible. If a record occurs twice, the list has the edge twice.
  const auto list = [](const Rows& rows) {
    constexpr std::array<WeightedEdge, 5> kEdges{{{0, 1, 0}, {1, 2, 0.25}, {2, 0, kNaN}, {1, 1, 0}, {0, 9, 0}}};
    std::vector<WeightedEdge> edges;
    for (const std::uint32_t row : rows) edges.push_back(kEdges[row]);
    return edges;
  };
  check(databases(5, 3), GraphMechanism::create(eps("1"), GraphMeasure::kMinimumSpanningTree, 3, 2, kAdd).value(),
        list);
}

TEST_CASE("cells and halfspaces have an answer for every record") {
  static constexpr std::array<std::int64_t, 3> kAmounts{std::numeric_limits<std::int64_t>::min(), 2, kLargestStatistic};
  for (const Neighbours neighbours : {kReplace, kAdd}) {
    const CellRelease cells = CellRelease::create(eps("1"), neighbours, {-3, 5}).value();
    const auto counts = [](const Rows& rows) -> Result<std::vector<std::int64_t>> {
      HEARSAY_TRY(CellCube cube, CellCube::create({2}, {-3, 5}));
      for (const std::uint32_t row : rows) HEARSAY_CHECK_OK(cube.add(std::array{row / 3}, kAmounts[row % 3]));
      return std::vector<std::int64_t>(cube.cells().begin(), cube.cells().end());
    };
    const auto mechanism = integer_noise(databases(9, 2), neighbours, true, cells.noise().scale(), counts);
    CHECK(audit(mechanism, 1)->worst.verdict == Verdict::kConfirmed);
  }
  tests::CounterBitSource bits("every halfspace");
  const HalfspaceNet net = HalfspaceNet::create(2, 1).value();
  const auto halfspaces =
      HalfspaceRelease::create(HalfspaceProjections::create(2, 3, net, bits).value(), eps("1")).value();
  const auto counts = [&](const Rows& rows) { return halfspaces.counts(points(rows)); };
  const auto mechanism = integer_noise(databases(25, 2), kReplace, true, halfspaces.noise().scale(), counts);
  CHECK(audit(mechanism, 1)->worst.verdict == Verdict::kConfirmed);
}

// The values 3 and 4 are outside the domain of the extremes. The histograms for the linear release are near the largest
// that can have scores.
TEST_CASE("for every record, scores change by at most their sensitivity") {
  const auto farthest = [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
  };
  for (const Neighbours neighbours : {kReplace, kAdd}) {
    const RankedExtreme extreme = RankedExtreme::create(Extreme::kMinimum, eps("1"), neighbours, 3, 0.9).value();
    const Databases all = Databases::enumerate({5, 3, neighbours, true}).value();
    std::int64_t most = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const std::size_t j : all.at_distance(i, 1)) {
        most = std::max(most, farthest(extreme.scores(all[i]).value(), extreme.scores(all[j]).value()));
      }
    }
    CHECK(most == 1);
  }
  const QueryClass queries = QueryClass::linear({{0, 0.5}, {1, 0.25}}, 4).value();
  const LinearRelease linear = LinearRelease::create(queries, 3, kAdd, eps("1"), eps("0.5")).value();
  const Selection& selection = linear.selection();
  const auto scores = [&](std::uint64_t first, std::uint64_t second) {
    return selection.scores(selection.within_capacity(std::array{first, second})).value();
  };
  std::int64_t most = 0;
  for (std::uint64_t a = selection.capacity() - 3; a <= selection.capacity() + 3; ++a) {
    for (std::uint64_t b = selection.capacity() - 3; b <= selection.capacity() + 3; ++b) {
      most = std::max({most, farthest(scores(a, b), scores(a + 1, b)), farthest(scores(a, b), scores(a, b + 1))});
    }
  }
  CHECK(most <= 3 * 4);  // a score changes by at most one record, which is 3·4 units
  CHECK(most > 6);
}

}  // namespace
}  // namespace hearsay::central
