// The mechanisms of Dwork, McSherry, Nissim and Smith 2006 that add noise to a statistic.
#include <algorithm>
#include <array>

#include "aggregator/central/audit/entries.h"
#include "aggregator/central/laplace/covariance.h"
#include "aggregator/central/laplace/distance_to_set.h"
#include "aggregator/central/laplace/histogram.h"
#include "aggregator/central/laplace/laplace_count.h"
#include "aggregator/central/laplace/low_sample.h"
#include "aggregator/central/laplace/mean_vector.h"
#include "aggregator/central/laplace/noisy_sum.h"
#include "aggregator/central/laplace/partition.h"
#include "aggregator/central/laplace/weighted_graph.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

using Made = Result<AuditedMechanism>;

std::int64_t ones(const Rows& rows) {
  return static_cast<std::int64_t>(rows.size()) - std::count(rows.begin(), rows.end(), 0U);
}

// The values are the numbers 0, ..., domain-1.
Made sum(const AuditSettings& settings, Neighbours neighbours) {
  HEARSAY_TRY(const BinaryGrid grid, BinaryGrid::create(0));
  HEARSAY_TRY(const NoisySum mechanism,
              NoisySum::create(settings.built, 0, std::int64_t{settings.domain} - 1, grid, neighbours));
  const auto statistic = [mechanism](const Rows& rows) -> Result<std::vector<std::int64_t>> {
    const std::vector<double> values(rows.begin(), rows.end());
    HEARSAY_TRY(const std::int64_t total, mechanism.statistic(values));
    return std::vector<std::int64_t>{total};
  };
  return integer_noise(settings, neighbours, false, mechanism.laplace().scale(), statistic);
}

// How many records are not 0.
Made count(const AuditSettings& settings) {
  HEARSAY_TRY(const LaplaceCount mechanism, LaplaceCount::create(settings.built));
  const auto statistic = [](const Rows& rows) -> Result<std::vector<std::int64_t>> {
    return std::vector<std::int64_t>{ones(rows)};
  };
  return integer_noise(settings, Neighbours::kReplaceOne, false, mechanism.laplace().scale(), statistic);
}

Made bins(const AuditSettings& settings, Neighbours neighbours) {
  HEARSAY_TRY(const Histogram mechanism, Histogram::create(settings.built, settings.domain, neighbours));
  const auto statistic = [mechanism](const Rows& rows) { return mechanism.statistic(rows); };
  return integer_noise(settings, neighbours, false, mechanism.laplace().scale(), statistic);
}

// How many even and how many odd records.
Made parts(const AuditSettings& settings, Neighbours neighbours) {
  HEARSAY_TRY(const Rational one, Rational::create(1, 1));
  const auto size = [](std::span<const std::uint32_t> rows) { return static_cast<std::int64_t>(rows.size()); };
  std::vector<Region> regions{{{}, one, size}, {{}, one, size}};
  for (std::uint32_t value = 0; value < settings.domain; ++value) regions[value % 2].members.push_back(value);
  HEARSAY_TRY(const Partition mechanism, Partition::create(settings.built, settings.domain, regions, neighbours));
  const auto statistic = [mechanism](const Rows& rows) { return mechanism.statistic(rows); };
  return integer_noise(settings, neighbours, false, mechanism.laplace().scale(), statistic);
}

// The values are ±γ on each axis of the line or the plane, γ = 2 steps.
std::vector<double> axis_rows(const Rows& rows, std::size_t dimension) {
  std::vector<double> values;
  for (const std::uint32_t row : rows) {
    for (std::size_t axis = 0; axis < dimension; ++axis)
      values.push_back(axis == row / 2 ? (row % 2 == 0 ? 2 : -2) : 0);
  }
  return values;
}
Result<RowBound> axis_bound(std::uint32_t domain) {
  if (domain < 2 || domain > 4) {
    return Error{ErrorCode::kInvalidArgument, "moments are audited on 2 to 4 values, the ends of one or two axes"};
  }
  HEARSAY_TRY(const BinaryGrid grid, BinaryGrid::create(0));
  return RowBound{domain == 2 ? std::size_t{1} : std::size_t{2}, 2, grid};
}

template <class Moment>
Made moment(const AuditSettings& settings, const RowBound& bound, const Moment& mechanism) {
  const auto statistic = [mechanism, dimension = bound.dimension](const Rows& rows) {
    return mechanism.statistic(axis_rows(rows, dimension));
  };
  return integer_noise(settings, Neighbours::kReplaceOne, false, mechanism.laplace().scale(), statistic);
}
Made mean(const AuditSettings& settings) {
  HEARSAY_TRY(const RowBound bound, axis_bound(settings.domain));
  HEARSAY_TRY(const MeanVector mechanism, MeanVector::create(settings.built, bound, Neighbours::kReplaceOne));
  return moment(settings, bound, mechanism);
}
Made covariance(const AuditSettings& settings) {
  HEARSAY_TRY(const RowBound bound, axis_bound(settings.domain));
  HEARSAY_TRY(const Covariance mechanism,
              Covariance::create(settings.built, bound, settings.rows, Neighbours::kReplaceOne));
  return moment(settings, bound, mechanism);
}

// The property: all records are alike.
Made distance(const AuditSettings& settings) {
  const auto alike = [](std::span<const std::uint32_t> rows) {
    return std::all_of(rows.begin(), rows.end(), [&rows](std::uint32_t row) { return row == rows.front(); });
  };
  HEARSAY_TRY(const DistanceToSet mechanism,
              DistanceToSet::create(settings.built, settings.domain, settings.rows, alike, Neighbours::kReplaceOne));
  const auto statistic = [mechanism](const Rows& rows) -> Result<std::vector<std::int64_t>> {
    HEARSAY_TRY(const std::int64_t steps, mechanism.statistic(rows));
    return std::vector<std::int64_t>{steps};
  };
  return integer_noise(settings, Neighbours::kReplaceOne, true, mechanism.laplace().scale(), statistic);
}

// The records are the weights of all pairs of vertices, value/(domain-1).
Made graph(const AuditSettings& settings, GraphMeasure measure) {
  std::uint32_t vertices = 2;
  while (vertices * (vertices - 1) / 2 < settings.rows) ++vertices;
  if (vertices * (vertices - 1) / 2 != settings.rows || settings.domain < 2) {
    return Error{ErrorCode::kInvalidArgument,
                 "a network has 1, 3, 6, ... rows, one for each pair of vertices, and at least 2 weights"};
  }
  HEARSAY_TRY(const GraphMechanism mechanism,
              GraphMechanism::create(settings.built, measure, vertices, 20, Neighbours::kReplaceOne));
  const double largest = settings.domain - 1;
  const auto statistic = [mechanism, vertices, largest](const Rows& rows) -> Result<std::vector<std::int64_t>> {
    std::vector<WeightedEdge> edges;
    for (std::uint32_t v = 1; v < vertices; ++v) {
      for (std::uint32_t u = 0; u < v; ++u) edges.push_back({u, v, rows[edges.size()] / largest});
    }
    HEARSAY_TRY(const std::int64_t value, mechanism.statistic(edges));
    return std::vector<std::int64_t>{value};
  };
  return integer_noise(settings, Neighbours::kReplaceOne, true, mechanism.laplace().scale(), statistic);
}

// The share of records that are not 0. Reading all but a random one and guessing 1/2 for it is never off by more than
// 1/(2n), so Lemma 1 gives its exact sensitivity 1/n.
Made low_sample(const AuditSettings& settings) {
  const std::uint64_t n = settings.rows;
  HEARSAY_TRY(const Rational read, Rational::create(n - 1, n));
  HEARSAY_TRY(const Rational always, Rational::create(1, 1));
  HEARSAY_TRY(const Rational error, Rational::create(1, 2 * n));
  HEARSAY_TRY(const BinaryGrid grid, BinaryGrid::create(-10));
  HEARSAY_TRY(const RealLaplace mechanism, low_sample_mechanism(settings.built, {read, always, error}, 1, grid));
  const auto statistic = [mechanism](const Rows& rows) {
    const std::array<double, 1> share{static_cast<double>(ones(rows)) / static_cast<double>(rows.size())};
    return mechanism.statistic(share);
  };
  return integer_noise(settings, Neighbours::kReplaceOne, false, mechanism.laplace().scale(), statistic);
}

}  // namespace

std::vector<CatalogueEntry> laplace_entries() {
  constexpr auto kReplace = Neighbours::kReplaceOne;
  constexpr auto kAdd = Neighbours::kAddRemove;
  using S = const AuditSettings&;
  return {
      {"sum", "noisy sum of 0, ..., N-1", false, "1", 3, 3, [](S s) { return sum(s, kReplace); }},
      {"sum-add-remove", "the same; the number of rows is private", false, "1", 3, 3, [](S s) { return sum(s, kAdd); }},
      {"count", "Laplace count of rows that are not 0", false, "1", 2, 3, [](S s) { return count(s); }},
      {"histogram", "noisy histogram", false, "1", 3, 3, [](S s) { return bins(s, kReplace); }},
      {"histogram-add-remove", "the same; the number of rows is private", false, "1", 3, 3,
       [](S s) { return bins(s, kAdd); }},
      {"partition", "counts of even and of odd rows", false, "1", 4, 3, [](S s) { return parts(s, kReplace); }},
      {"partition-add-remove", "the same; the number of rows is private", false, "1", 4, 3,
       [](S s) { return parts(s, kAdd); }},
      {"mean", "mean of vectors on the axes", false, "1", 4, 3, [](S s) { return mean(s); }},
      {"covariance", "covariance of vectors on the axes", false, "1", 4, 3, [](S s) { return covariance(s); }},
      {"distance-to-set", "changes until all rows are alike", false, "1", 3, 3, [](S s) { return distance(s); }},
      {"minimum-cut", "minimum cut; a row is an edge", false, "1", 3, 3,
       [](S s) { return graph(s, GraphMeasure::kMinimumCut); }},
      {"spanning-tree", "minimum spanning tree; a row is an edge", false, "1", 3, 3,
       [](S s) { return graph(s, GraphMeasure::kMinimumSpanningTree); }},
      {"low-sample", "a share, by its sample complexity (Lemma 1)", false, "1", 2, 4,
       [](S s) { return low_sample(s); }},
  };
}

}  // namespace hearsay::central
