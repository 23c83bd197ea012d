#include "aggregator/central/laplace/metric_mechanism.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {
namespace {

Result<std::vector<std::uint64_t>> table(std::uint32_t points, const MetricMechanism::Distance& distance) {
  std::vector<std::uint64_t> distances;
  distances.reserve(std::size_t{points} * points);
  for (std::uint32_t y = 0; y < points; ++y) {
    for (std::uint32_t z = 0; z < points; ++z) {
      const std::uint64_t steps = distance(y, z);
      if (steps > MetricMechanism::kLargestDistance) {
        return Error{ErrorCode::kLimitExceeded, "a distance exceeds 2^24 steps"};
      }
      if ((steps == 0) != (y == z)) {
        return Error{ErrorCode::kInvalidArgument,
                     "the distance must be 0 from a point to itself, and above 0 between two points"};
      }
      if (z < y && steps != distances[std::size_t{z} * points + y]) {
        return Error{ErrorCode::kInvalidArgument, "the distance must be symmetric"};
      }
      distances.push_back(steps);
    }
  }
  return distances;
}

bool triangle_inequality(std::uint32_t points, const std::vector<std::uint64_t>& distances) {
  const auto row = [&](std::uint32_t y) { return std::span(distances).subspan(std::size_t{y} * points, points); };
  for (std::uint32_t y = 0; y < points; ++y) {
    for (std::uint32_t z = 0; z < y; ++z) {
      const std::uint64_t direct = row(y)[z];
      for (std::uint32_t w = 0; w < points; ++w) {
        if (direct > row(y)[w] + row(z)[w]) return false;
      }
    }
  }
  return true;
}

// Returns true if all points z have the same multiset of distances, so that Σ_w exp(-c·d(z,w)) does not depend on z.
bool same_distances_everywhere(std::uint32_t points, const std::vector<std::uint64_t>& distances) {
  const auto sorted_row = [&](std::uint32_t y) {
    const auto begin = distances.begin() + static_cast<std::ptrdiff_t>(std::size_t{y} * points);
    std::vector<std::uint64_t> row(begin, begin + static_cast<std::ptrdiff_t>(points));
    std::sort(row.begin(), row.end());
    return row;
  };
  const std::vector<std::uint64_t> first = sorted_row(0);
  for (std::uint32_t y = 1; y < points; ++y) {
    if (sorted_row(y) != first) return false;
  }
  return true;
}

}  // namespace

Result<MetricMechanism> MetricMechanism::create(const Epsilon& epsilon, std::uint32_t points, const Distance& distance,
                                                std::uint64_t sensitivity, Neighbours neighbours) {
  if (points == 0 || !distance)
    return Error{ErrorCode::kInvalidArgument, "the metric space needs at least one point, and a distance function"};
  if (points > kMostPoints) return Error{ErrorCode::kDomainTooLarge, "the space has more than 1,024 points"};
  if (sensitivity == 0) return Error{ErrorCode::kInvalidArgument, "the sensitivity must be above 0"};
  if (sensitivity > kLargestDistance) return Error{ErrorCode::kLimitExceeded, "the sensitivity exceeds 2^24 steps"};
  HEARSAY_TRY(std::vector<std::uint64_t> distances, table(points, distance));
  if (!triangle_inequality(points, distances)) {
    return Error{ErrorCode::kInvalidArgument, "the distance violates the triangle inequality"};
  }
  const std::uint64_t halves = same_distances_everywhere(points, distances) ? 1 : 2;
  HEARSAY_TRY(const Rational rate, Rational::create(epsilon.num(), epsilon.den() * sensitivity * halves));
  return MetricMechanism(points, std::move(distances), rate, neighbours);
}

// Draws a uniform point, and keeps the point with probability exp(-rate·d), where d is its distance from f(x). The
// point f(x) itself is always kept, so an attempt succeeds with probability at least 1/N. No product overflows: num·d
// <= 64·10^6·2^24 < 2^50 and den <= 10^6·2^25 < 2^45.
std::uint32_t MetricMechanism::release(std::uint32_t value, BitSource& bits) const {
  const std::uint32_t point = value < points_ ? value : 0;
  for (;;) {
    const auto candidate = static_cast<std::uint32_t>(uniform_below(bits, points_));
    if (bernoulli_exp_minus(bits, rate_.num() * distance(point, candidate), rate_.den())) return candidate;
  }
}

// d is the output's distance from f(x). The weights sum to at least 1, the weight of f(x). So Pr[d >= r + 1] <=
// (N-1)·exp(-rate·(r+1)).
Result<std::uint64_t> MetricMechanism::error_bound(double beta) const {
  if (!(beta > 0 && beta < 1)) return Error{ErrorCode::kInvalidArgument, "beta must lie strictly in (0, 1)"};
  if (points_ == 1) return std::uint64_t{0};
  const double others = points_ - 1;
  const double steps = std::ceil((std::log(others) - std::log(beta)) / rate_.approximate());
  return static_cast<std::uint64_t>(std::max(steps, 1.0)) - 1;
}

}  // namespace hearsay::central
