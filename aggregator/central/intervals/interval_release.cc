#include "aggregator/central/intervals/interval_release.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr double kMostLists = 0x1p20;

}  // namespace

Result<double> ReleasedPoints::fraction(const CellInterval& interval) const {
  if (interval.first > interval.last || interval.last >= cells_) {
    return Error{ErrorCode::kInvalidArgument,
                 "both ends of an interval must be cells of the grid, and the first must not lie after the last"};
  }
  const auto from = std::lower_bound(points_.begin(), points_.end(), interval.first);
  const auto to = std::upper_bound(points_.begin(), points_.end(), interval.last);
  return static_cast<double>(to - from) / static_cast<double>(points_.size());
}

Result<double> ReleasedPoints::fraction(std::vector<CellInterval> intervals) const {
  if (intervals.empty()) return Error{ErrorCode::kInvalidArgument, "a union needs at least one interval"};
  std::sort(intervals.begin(), intervals.end(),
            [](const CellInterval& a, const CellInterval& b) { return a.first < b.first; });
  double sum = 0;
  std::uint64_t next = 0;
  for (CellInterval interval : intervals) {
    HEARSAY_TRY(const double all, fraction(interval));
    if (interval.last < next) continue;
    if (interval.first < next) {
      HEARSAY_TRY(const double rest, fraction(CellInterval{next, interval.last}));
      sum += rest;
    } else {
      sum += all;
    }
    next = interval.last + 1;
  }
  return sum;
}

Result<IntervalRelease> IntervalRelease::create(const Grid& grid, const Epsilon& alpha, const Rational& error) {
  constexpr std::uint64_t kFinest = 10'000;
  if (error.num() == 0 || error.num() >= error.den() || error.den() / error.num() > kFinest) {
    return Error{ErrorCode::kInvalidArgument, "the error must lie in [10^-4, 1)"};
  }
  HEARSAY_TRY(const Rational quotient, whole(4).divided_by(error));
  const std::uint64_t pieces = quotient.num() / quotient.den();  // at least 4, since error < 1
  const std::uint64_t questions = (pieces - 1) * grid.bits();
  HEARSAY_TRY(const DiscreteLaplace noise, calibrated_noise(whole(questions), exact(alpha)));
  return IntervalRelease(grid, alpha, error, QuantileSearch{grid.bits(), pieces, noise});
}

Result<std::vector<std::uint64_t>> IntervalRelease::sorted(std::vector<std::uint64_t> cells) const {
  if (cells.empty()) return Error{ErrorCode::kInvalidArgument, "there must be at least one record"};
  if (cells.size() > kMostRows) return Error{ErrorCode::kLimitExceeded, "there may be at most 2^40 records"};
  for (std::uint64_t& cell : cells) cell = std::min(cell, grid_.cells() - 1);
  std::sort(cells.begin(), cells.end());
  return cells;
}

Result<ReleasedPoints> IntervalRelease::release(std::span<const double> values, BitSource& bits) const {
  std::vector<std::uint64_t> cells;
  cells.reserve(values.size());
  for (const double value : values) cells.push_back(grid_.cell(value));
  return release_cells(std::move(cells), bits);
}

// Makes two points at each boundary and one at each end of the grid. So if an interval cuts a piece, half of the piece
// counts.
Result<ReleasedPoints> IntervalRelease::release_cells(std::vector<std::uint64_t> cells, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<std::uint64_t> ordered, sorted(std::move(cells)));
  std::vector<std::uint64_t> points{0};
  for (const std::uint64_t boundary : search_.run(ordered, ordered.size(), bits))
    points.insert(points.end(), 2, boundary);
  points.push_back(grid_.cells() - 1);
  return ReleasedPoints(std::move(points), grid_.cells());
}

Result<std::uint64_t> IntervalRelease::rows_needed(double delta) const {
  if (!(delta > 0 && delta < 1)) return Error{ErrorCode::kInvalidArgument, "delta must lie strictly in (0, 1)"};
  const double epsilon = error_.approximate();
  const auto b = static_cast<double>(grid_.bits());
  const double questions = 4 * b / epsilon;
  const double rows = 32 * b * (std::log(questions) - std::log(delta)) / (alpha_.approximate() * std::pow(epsilon, 3)) +
                      4 / (epsilon * epsilon);
  return record_count(rows);
}

double IntervalRelease::error_bound() const {
  const double epsilon = error_.approximate();
  return 1 / static_cast<double>(search_.pieces) + epsilon * epsilon / 4;
}

Result<std::map<std::vector<std::uint64_t>, long double>> IntervalRelease::law(std::vector<std::uint64_t> cells) const {
  HEARSAY_TRY(const std::vector<std::uint64_t> ordered, sorted(std::move(cells)));
  double lists = 1;
  for (std::uint64_t k = 1; k < search_.pieces && lists <= kMostLists; ++k) {
    lists *= (static_cast<double>(grid_.cells()) + static_cast<double>(k) - 1) / static_cast<double>(k);
  }
  if (lists > kMostLists)
    return Error{ErrorCode::kDomainTooLarge, "there are more than 2^20 lists of boundaries to enumerate"};
  std::map<std::vector<std::uint64_t>, long double> law;
  search_.law(ordered, ordered.size(),
              [&law](const std::vector<std::uint64_t>& found, long double p) { law[found] += p; });
  return law;
}

}  // namespace hearsay::central
