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

std::int64_t ones(const Rows& rows) {
  return static_cast<std::int64_t>(rows.size()) - std::count(rows.begin(), rows.end(), 0U);
}

template <class Mechanism, class InputOf>
AuditedMechanism noisy(const AuditSettings& settings, const Mechanism& mechanism, bool ordered, InputOf input_of) {
  const auto statistic = [mechanism, input_of](const Rows& rows) {
    return Result(mechanism.statistic(input_of(rows)));
  };
  return integer_noise(settings, mechanism.laplace().neighbours(), ordered, mechanism.laplace().scale(), statistic);
}

const Rows& as_they_are(const Rows& rows) { return rows; }

Made sum(const AuditSettings& settings, Neighbours neighbours) {
  HEARSAY_TRY(const BinaryGrid grid, BinaryGrid::create(0));
  HEARSAY_TRY(const NoisySum mechanism,
              NoisySum::create(settings.built, 0, std::int64_t{settings.domain} - 1, grid, neighbours));
  return noisy(settings, mechanism, false,
               [](const Rows& rows) { return std::vector<double>(rows.begin(), rows.end()); });
}

Made count(const AuditSettings& settings) {
  HEARSAY_TRY(const LaplaceCount mechanism, LaplaceCount::create(settings.built));
  const auto statistic = [](const Rows& rows) -> Result<std::int64_t> { return ones(rows); };
  return integer_noise(settings, kReplace, false, mechanism.laplace().scale(), statistic);
}

Made bins(const AuditSettings& settings, Neighbours neighbours) {
  HEARSAY_TRY(const Histogram mechanism, Histogram::create(settings.built, settings.domain, neighbours));
  return noisy(settings, mechanism, false, as_they_are);
}

Made parts(const AuditSettings& settings, Neighbours neighbours) {
  const auto size = [](std::span<const std::uint32_t> rows) { return static_cast<std::int64_t>(rows.size()); };
  std::vector<Region> regions{{{}, whole(1), size}, {{}, whole(1), size}};
  for (std::uint32_t value = 0; value < settings.domain; ++value) regions[value % 2].members.push_back(value);
  HEARSAY_TRY(const Partition mechanism, Partition::create(settings.built, settings.domain, regions, neighbours));
  return noisy(settings, mechanism, false, as_they_are);
}

// Maps each record to a row that is ±2 on one axis of a line or a plane, and 0 on the other axis.
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
    return Error{ErrorCode::kInvalidArgument,
                 "mean and covariance are audited on 2 to 4 values, the ends of one or two axes"};
  }
  HEARSAY_TRY(const BinaryGrid grid, BinaryGrid::create(0));
  return RowBound{domain == 2 ? std::size_t{1} : std::size_t{2}, 2, grid};
}

Made mean(const AuditSettings& settings) {
  HEARSAY_TRY(const RowBound bound, axis_bound(settings.domain));
  HEARSAY_TRY(const MeanVector mechanism, MeanVector::create(settings.built, bound, kReplace));
  return noisy(settings, mechanism, false, [bound](const Rows& rows) { return axis_rows(rows, bound.dimension); });
}
Made covariance(const AuditSettings& settings) {
  HEARSAY_TRY(const RowBound bound, axis_bound(settings.domain));
  HEARSAY_TRY(const Covariance mechanism, Covariance::create(settings.built, bound, settings.rows, kReplace));
  return noisy(settings, mechanism, false, [bound](const Rows& rows) { return axis_rows(rows, bound.dimension); });
}

Made distance(const AuditSettings& settings) {
  const auto alike = [](std::span<const std::uint32_t> rows) {
    return std::all_of(rows.begin(), rows.end(), [&rows](std::uint32_t row) { return row == rows.front(); });
  };
  HEARSAY_TRY(const DistanceToSet mechanism,
              DistanceToSet::create(settings.built, settings.domain, settings.rows, alike, kReplace));
  return noisy(settings, mechanism, true, as_they_are);
}

// There is one record for each pair of vertices. A record with the value v gives its pair the weight v/(domain-1).
Made graph(const AuditSettings& settings, GraphMeasure measure) {
  std::uint32_t vertices = 2;
  while (vertices * (vertices - 1) / 2 < settings.rows) ++vertices;
  if (vertices * (vertices - 1) / 2 != settings.rows || settings.domain < 2) {
    return Error{ErrorCode::kInvalidArgument,
                 "a network needs 1, 3, 6, ... rows, one for each pair of vertices, and at least 2 values"};
  }
  HEARSAY_TRY(const GraphMechanism mechanism, GraphMechanism::create(settings.built, measure, vertices, 20, kReplace));
  const double largest = settings.domain - 1;
  return noisy(settings, mechanism, true, [vertices, largest](const Rows& rows) {
    std::vector<WeightedEdge> edges;
    for (std::uint32_t v = 1; v < vertices; ++v) {
      for (std::uint32_t u = 0; u < v; ++u) edges.push_back({u, v, rows[edges.size()] / largest});
    }
    return edges;
  });
}

// Releases the share of records that are not 0. The algorithm of Lemma 1 reads all records except a random one, for
// which it guesses 1/2. The algorithm is never off by more than 1/(2n), so Lemma 1 gives the exact sensitivity 1/n.
Made low_sample(const AuditSettings& settings) {
  const std::uint64_t n = settings.rows;
  HEARSAY_TRY(const Rational read, Rational::create(n - 1, n));
  HEARSAY_TRY(const Rational error, Rational::create(1, 2 * n));
  HEARSAY_TRY(const BinaryGrid grid, BinaryGrid::create(-10));
  HEARSAY_TRY(const RealLaplace mechanism, low_sample_mechanism(settings.built, {read, whole(1), error}, 1, grid));
  return noisy(settings, mechanism, false, [](const Rows& rows) {
    return std::array<double, 1>{static_cast<double>(ones(rows)) / static_cast<double>(rows.size())};
  });
}

}  // namespace

std::vector<CatalogueEntry> laplace_entries() {
  using S = const AuditSettings&;
  return {
      {"sum", "noisy sum of 0, ..., N-1", "1", 3, 3, [](S s) { return sum(s, kReplace); }},
      {"sum-add-remove", "noisy sum; the number of rows is private", "1", 3, 3, [](S s) { return sum(s, kAdd); }},
      {"count", "Laplace count of rows that are not 0", "1", 2, 3, [](S s) { return count(s); }},
      {"histogram", "noisy histogram", "1", 3, 3, [](S s) { return bins(s, kReplace); }},
      {"histogram-add-remove", "noisy histogram; the number of rows is private", "1", 3, 3,
       [](S s) { return bins(s, kAdd); }},
      {"partition", "counts of even and of odd rows", "1", 4, 3, [](S s) { return parts(s, kReplace); }},
      {"partition-add-remove", "counts of even and of odd rows; their total is private", "1", 4, 3,
       [](S s) { return parts(s, kAdd); }},
      {"mean", "mean of vectors on the axes", "1", 4, 3, [](S s) { return mean(s); }},
      {"covariance", "covariance of vectors on the axes", "1", 4, 3, [](S s) { return covariance(s); }},
      {"distance-to-set", "changes until all rows are alike", "1", 3, 3, [](S s) { return distance(s); }},
      {"minimum-cut", "minimum cut; a row is an edge", "1", 3, 3,
       [](S s) { return graph(s, GraphMeasure::kMinimumCut); }},
      {"spanning-tree", "minimum spanning tree; a row is an edge", "1", 3, 3,
       [](S s) { return graph(s, GraphMeasure::kMinimumSpanningTree); }},
      {"low-sample", "a share, by its sample complexity (Lemma 1)", "1", 2, 4, [](S s) { return low_sample(s); }},
  };
}

}  // namespace hearsay::central
