#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "aggregator/central/laplace/distance_to_set.h"
#include "aggregator/central/laplace/weighted_graph.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/laplace/laws.h"
#include "tests/unit/aggregator/central/laplace/small_databases.h"

namespace hearsay::central {
namespace {

using tests::binomial_band;
using tests::CounterBitSource;
using tests::eps;
using tests::kInfinity;
using tests::ratio;
using Edges = std::vector<WeightedEdge>;
using Statistic = std::vector<std::int64_t>;

bool balanced(std::span<const std::uint32_t> rows) {
  return 2 * std::count(rows.begin(), rows.end(), 1U) == static_cast<std::ptrdiff_t>(rows.size());
}

DistanceToSet distance_to_balance(const char* epsilon, std::size_t records) {
  return DistanceToSet::create(eps(epsilon), 2, records, balanced, Neighbours::kReplaceOne).value();
}

TEST_CASE("the distance from a balanced database is the number of missing or superfluous ones") {
  const DistanceToSet distance = distance_to_balance("1", 6);
  for (const Rows& rows : all_databases(2, 6)) {
    const std::int64_t ones = std::count(rows.begin(), rows.end(), 1U);
    CHECK(distance.statistic(rows).value() == std::abs(ones - 3));
  }
}

TEST_CASE("the distance to a property loses epsilon") {
  CounterBitSource bits("random sets");
  for (int trial = 0; trial < 20; ++trial) {
    // Each trial draws the property anew. About one of 8 databases has the property.
    const auto random_set = [&](std::span<const std::uint32_t>) { return bits.bits(3) == 0; };
    const auto distance = DistanceToSet::create(eps("0.7"), 3, 4, random_set, Neighbours::kReplaceOne);
    if (!distance) continue;  // no database has the property, with probability (7/8)^81 = 2e-5
    Rational worst;
    for_each_replacement(3, 4, [&](const Rows& first, const Rows& second) {
      const Statistic a{distance->statistic(first).value()};
      const Statistic b{distance->statistic(second).value()};
      worst = std::max(worst, loss(distance->laplace(), a, b));
    });
    CHECK(worst == ratio(7, 10));
  }
}

TEST_CASE("properties that no database has, or that too many databases could have, are refused") {
  CounterBitSource bits("distance refusals");
  const auto create = [](std::uint32_t domain, std::size_t records, auto property, Neighbours neighbours) {
    return DistanceToSet::create(eps("1"), domain, records, property, neighbours);
  };
  const auto all = [](std::span<const std::uint32_t>) { return true; };
  const auto none = [](std::span<const std::uint32_t>) { return false; };
  constexpr auto kReplace = Neighbours::kReplaceOne;
  CHECK(create(0, 3, all, kReplace).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(2, 0, all, kReplace).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(2, 3, none, kReplace).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(2, 3, nullptr, kReplace).error().code == ErrorCode::kInvalidArgument);
  CHECK(create(2, 21, all, kReplace).error().code == ErrorCode::kDomainTooLarge);
  CHECK(create(0xFFFFFFFF, 1000, all, kReplace).error().code == ErrorCode::kDomainTooLarge);
  CHECK(create(1, std::size_t{1} << 40U, all, kReplace).error().code == ErrorCode::kDomainTooLarge);
  CHECK(create(2, 3, all, Neighbours::kAddRemove).error().code == ErrorCode::kUnsupported);
  const DistanceToSet distance = distance_to_balance("1", 2);
  CHECK(distance.release(Rows{}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(distance.error_bound(0).error().code == ErrorCode::kInvalidArgument);
}

// The records 3 and 0xFFFFFFFF are outside of the domain {0, 1, 2}.
TEST_CASE("a record outside of the domain differs from every value, and the sensitivity stays 1") {
  const auto zeros = [](std::span<const std::uint32_t> rows) {
    return std::all_of(rows.begin(), rows.end(), [](std::uint32_t row) { return row == 0; });
  };
  const auto distance = DistanceToSet::create(eps("1"), 3, 3, zeros, Neighbours::kReplaceOne).value();
  CHECK(distance.statistic(Rows{0, 3, 0xFFFFFFFF}).value() == 2);
  Rational worst;
  for_each_replacement(5, 3, [&](const Rows& first, const Rows& second) {
    const Statistic a{distance.statistic(first).value()};
    const Statistic b{distance.statistic(second).value()};
    worst = std::max(worst, loss(distance.laplace(), a, b));
  });
  CHECK(worst == ratio(1));
}

// Returns the pairs of m vertices with the weights given in quarters. Leaves out the pairs in `absent`.
Edges edges_of(std::uint32_t m, const Rows& quarters, std::uint32_t absent) {
  Edges edges;
  std::size_t next = 0;
  for (std::uint32_t v = 0; v < m; ++v) {
    for (std::uint32_t u = 0; u < v; ++u, ++next) {
      if (quarters[next] != absent) edges.push_back({u, v, quarters[next] / 4.0});
    }
  }
  return edges;
}

// Returns the weight of a minimum cut in quarters, by trying all bipartitions.
std::int64_t cut_by_enumeration(std::uint32_t m, const Rows& quarters) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t side = 1; side + 1 < (1U << m); ++side) {
    std::int64_t cut = 0;
    std::size_t next = 0;
    for (std::uint32_t v = 0; v < m; ++v) {
      for (std::uint32_t u = 0; u < v; ++u, ++next) {
        if (((side >> u) & 1U) != ((side >> v) & 1U)) cut += quarters[next];
      }
    }
    least = std::min(least, cut);
  }
  return least;
}

// Returns the weight of a minimum spanning tree in quarters, by trying all sets of pairs.
std::int64_t tree_by_enumeration(std::uint32_t m, const Rows& quarters) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t chosen = 0; chosen < (1U << quarters.size()); ++chosen) {
    std::vector<std::uint32_t> part(m);
    std::iota(part.begin(), part.end(), 0U);
    std::int64_t weight = 0;
    std::uint32_t parts = m;
    std::size_t next = 0;
    for (std::uint32_t v = 0; v < m; ++v) {
      for (std::uint32_t u = 0; u < v; ++u, ++next) {
        if (((chosen >> next) & 1U) == 0) continue;
        weight += quarters[next];
        if (part[u] == part[v]) continue;
        --parts;
        std::replace(part.begin(), part.end(), std::uint32_t{part[v]}, std::uint32_t{part[u]});
      }
    }
    if (parts == 1) least = std::min(least, weight);
  }
  return least;
}

GraphMechanism network(GraphMeasure measure, std::uint32_t m, const char* epsilon = "1") {
  return GraphMechanism::create(eps(epsilon), measure, m, 2, Neighbours::kReplaceOne).value();
}

// Tries all graphs on 4 vertices with weights 0, 1/2 and 1, and 300 graphs on 5 vertices with weights in quarters. An
// absent edge weighs 0 for the cut and 1 for the tree.
TEST_CASE("the minimum cut and the minimum spanning tree agree with enumeration") {
  for (const Rows& halves : all_databases(3, 6)) {
    Rows quarters = halves;
    for (auto& q : quarters) q *= 2;
    CHECK(network(GraphMeasure::kMinimumCut, 4).statistic(edges_of(4, quarters, 0)) == cut_by_enumeration(4, quarters));
    CHECK(network(GraphMeasure::kMinimumSpanningTree, 4).statistic(edges_of(4, quarters, 4)) ==
          tree_by_enumeration(4, quarters));
  }
  CounterBitSource bits("random graphs");
  for (int trial = 0; trial < 300; ++trial) {
    Rows quarters(10);
    for (auto& q : quarters) q = static_cast<std::uint32_t>(bits.bits(2) + bits.bits(1));
    CHECK(network(GraphMeasure::kMinimumCut, 5).statistic(edges_of(5, quarters, 0)) == cut_by_enumeration(5, quarters));
    CHECK(network(GraphMeasure::kMinimumSpanningTree, 5).statistic(edges_of(5, quarters, 4)) ==
          tree_by_enumeration(5, quarters));
  }
}

TEST_CASE(
    "the minimum cut and the minimum spanning tree have sensitivity 1 in changing, adding and removing edges, and "
    "attain it") {
  for (const GraphMeasure measure : {GraphMeasure::kMinimumCut, GraphMeasure::kMinimumSpanningTree}) {
    const GraphMechanism mechanism = network(measure, 4, "0.5");
    CHECK(mechanism.laplace().sensitivity() == ratio(4));  // the statistic counts steps of 1/4
    const std::uint32_t absent = measure == GraphMeasure::kMinimumCut ? 0 : 2;
    std::map<Rows, Statistic> statistics;
    for (const Rows& halves : all_databases(3, 6)) {
      Rows quarters = halves;
      for (auto& q : quarters) q *= 2;
      statistics[halves] = {mechanism.statistic(edges_of(4, quarters, 2 * absent))};
    }
    Rational worst;
    for_each_replacement(3, 6, [&](const Rows& first, const Rows& second) {
      worst = std::max(worst, loss(mechanism.laplace(), statistics[first], statistics[second]));
    });
    CHECK(worst == ratio(1, 2));
  }
}

TEST_CASE("an empty network is disconnected, and its spanning tree consists of absent edges") {
  CHECK(network(GraphMeasure::kMinimumCut, 5).statistic({}) == 0);
  CHECK(network(GraphMeasure::kMinimumSpanningTree, 5).statistic({}) == 4 * 4);
}

// In 1,000 runs for each measure, the number of failures is within a band of false alarm 1e-9.
TEST_CASE("releases of the minimum cut and the minimum spanning tree keep their error bounds") {
  CounterBitSource bits("graph utility");
  const Edges edges{{0, 1, 0.9}, {1, 2, 0.81}, {2, 3, 0.63}, {0, 3, 0.77}};
  const auto failures_of = [&](GraphMeasure measure, double truth) {
    const auto mechanism = GraphMechanism::create(eps("0.5"), measure, 4, 10, Neighbours::kAddRemove).value();
    std::uint64_t failures = 0;
    for (int run = 0; run < 1000; ++run) {
      if (std::abs(mechanism.release(edges, bits) - truth) > mechanism.error_bound(4, 0.1).value()) ++failures;
    }
    return failures;
  };
  CHECK(binomial_band(1000, 0.1, 1e-9).contains(failures_of(GraphMeasure::kMinimumCut, 0.63 + 0.77)));
  CHECK(binomial_band(1000, 0.1, 1e-9).contains(failures_of(GraphMeasure::kMinimumSpanningTree, 0.63 + 0.77 + 0.81)));
}

TEST_CASE("every list of edges is a network, in which unusual weights and edges have a fixed meaning") {
  CounterBitSource bits("graph odd lists");
  const GraphMechanism tree = network(GraphMeasure::kMinimumSpanningTree, 3);
  const GraphMechanism cut = network(GraphMeasure::kMinimumCut, 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [weight, steps] : {std::pair{-0.01, 0}, {1.01, 4}, {kInfinity, 4}, {-kInfinity, 0}, {nan, 0}}) {
    CHECK(cut.statistic(Edges{{0, 1, weight}}) == steps);
    CHECK(tree.statistic(Edges{{0, 1, weight}}) == steps + 4);
  }
  // Edges with impossible vertices do not count.
  CHECK(tree.statistic(Edges{{0, 3, 0.5}, {1, 1, 0}, {0xFFFFFFFF, 1, 0}}) == 8);
  // If a pair of vertices occurs twice, its first entry counts.
  CHECK(tree.statistic(Edges{{0, 1, 0.5}, {1, 0, 0.25}, {1, 2, 0}, {0, 1, 0}}) == 2);
  CHECK(std::isfinite(tree.release(Edges{{0, 9, nan}}, bits)));
}

TEST_CASE("whether a minimum cut is released depends only on the number of vertices") {
  const auto create = [](std::uint32_t vertices) {
    return GraphMechanism::create(eps("1"), GraphMeasure::kMinimumCut, vertices, 2, Neighbours::kAddRemove);
  };
  CHECK(create(601).error().code == ErrorCode::kLimitExceeded);
  CHECK(create(60'000).error().code == ErrorCode::kLimitExceeded);
  const GraphMechanism mechanism = create(600).value();
  CHECK(mechanism.statistic({}) == 0);
  Edges path;
  for (std::uint32_t v = 1; v < 600; ++v) path.push_back({v - 1, v, 0.5});
  CHECK(mechanism.statistic(path) == 2);
}

TEST_CASE("numbers of vertices and resolutions out of range are refused") {
  for (const GraphMeasure measure : {GraphMeasure::kMinimumCut, GraphMeasure::kMinimumSpanningTree}) {
    const GraphMechanism mechanism = network(measure, 3);
    const auto create = [&](std::uint32_t vertices, int resolution) {
      return GraphMechanism::create(eps("1"), measure, vertices, resolution, Neighbours::kReplaceOne);
    };
    CHECK(create(1, 2).error().code == ErrorCode::kInvalidArgument);
    CHECK(create(70'000, 2).error().code == ErrorCode::kInvalidArgument);
    CHECK(create(3, -1).error().code == ErrorCode::kInvalidArgument);
    CHECK(create(3, 41).error().code == ErrorCode::kInvalidArgument);
    CHECK(mechanism.error_bound(3, 0).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(network(GraphMeasure::kMinimumSpanningTree, 60'000).statistic({}) == 4 * 59'999);
}

}  // namespace
}  // namespace hearsay::central
