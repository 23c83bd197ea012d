// Symbols: d = the number of dimensions, K = pieces, E = a bound on the magnitude of all noise. A set of S records is
// counted as s~ with |s~ - S| <= E and cut into K pieces. Then an open slab, that is, the cells between two boundaries,
// holds at most s~/K + 2E <= S/K + 3E records (QuantileSearch). A box cuts at most two open slabs. Each of the two may
// be counted whole or not at all, an error of at most S/K + 4E. Each slab inside the box has the error of the remaining
// dimensions. So the bound c·S + g·E has c_d = c_{d-1} + 2/K and g_d = (2K-1)·g_{d-1} + 8. In the last dimension each
// end of an interval is off by s~/(2K) + E: c_1 = 1/K and g_1 = 2 + 1/K <= 3.

#include "aggregator/central/intervals/box_release.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

using Columns = std::vector<std::vector<std::uint64_t>>;

using Points = std::vector<ReleasedBoxes::Point>;

// Returns the slabs into which boundaries cut the cells 0, ..., end - 1: each boundary by itself, and the cells between
// two boundaries.
std::vector<CellInterval> slabs_between(const std::vector<std::uint64_t>& boundaries, std::uint64_t end) {
  std::vector<CellInterval> slabs;
  std::uint64_t next = 0;
  for (const std::uint64_t boundary : boundaries) {
    if (boundary < next) continue;  // an earlier search found this boundary, too
    if (boundary > next) slabs.push_back({next, boundary - 1});
    slabs.push_back({boundary, boundary});
    next = boundary + 1;
  }
  if (next < end) slabs.push_back({next, end - 1});
  return slabs;
}

// Rows in the order of one column, and their cells in this column.
struct Sorted {
  std::span<std::uint64_t> rows;
  std::vector<std::uint64_t> cells;

  Sorted(std::span<std::uint64_t> some_rows, const std::vector<std::uint64_t>& column) : rows(some_rows) {
    std::sort(rows.begin(), rows.end(), [&column](std::uint64_t a, std::uint64_t b) { return column[a] < column[b]; });
    cells.reserve(rows.size());
    for (const std::uint64_t row : rows) cells.push_back(column[row]);
  }

  std::span<std::uint64_t> within(const CellInterval& slab) const {
    const auto from = std::lower_bound(cells.begin(), cells.end(), slab.first) - cells.begin();
    const auto to = std::upper_bound(cells.begin(), cells.end(), slab.last) - cells.begin();
    return rows.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
  }
};

// Cuts the rows of slabs, one dimension after another. `at` has the cells that stand for the slabs entered so far.
struct Cutter {
  const std::vector<QuantileSearch>& searches;
  const Columns& columns;
  std::vector<std::uint64_t> at;

  bool in_last_dimension() const { return at.size() + 1 == searches.size(); }
  std::uint64_t end() const { return std::uint64_t{1} << searches[at.size()].bits; }
  void enter(const CellInterval& slab) { at.push_back(slab.first + (slab.last - slab.first) / 2); }

  // Adds the points of the last dimension: one at each end of the grid, and one of twice this mass at each boundary.
  void leave(const std::vector<std::uint64_t>& boundaries, std::uint64_t counted, Points& points) {
    const auto put = [this, &points](std::uint64_t cell, std::uint64_t mass) {
      at.push_back(cell);
      points.push_back({at, mass});
      at.pop_back();
    };
    const std::uint64_t last = end() - 1;
    put(0, counted);
    for (const std::uint64_t boundary : boundaries) put(boundary, 2 * counted);
    put(last, counted);
  }

  void cut(std::span<std::uint64_t> rows, std::uint64_t counted, BitSource& bits, Points& points) {
    const Sorted sorted(rows, columns[at.size()]);
    const auto boundaries = searches[at.size()].run(sorted.cells, counted, bits);
    if (in_last_dimension()) {
      leave(boundaries, counted, points);
      return;
    }
    for (const CellInterval& slab : slabs_between(boundaries, end())) {
      const std::span<std::uint64_t> inside = sorted.within(slab);
      const std::int64_t noise = searches[at.size() + 1].noise.sample(bits);
      const std::int64_t count =
          std::min(static_cast<std::int64_t>(inside.size()) + noise, static_cast<std::int64_t>(columns[0].size()));
      if (count <= 0) continue;  // by its noisy count, the slab is empty
      enter(slab);
      cut(inside, static_cast<std::uint64_t>(count), bits, points);
      at.pop_back();
    }
  }

  BoxRelease::Law cut_law(std::span<std::uint64_t> rows, std::uint64_t counted) {
    BoxRelease::Law law;
    const Sorted sorted(rows, columns[at.size()]);
    searches[at.size()].law(sorted.cells, counted, [&](const std::vector<std::uint64_t>& boundaries, long double p) {
      BoxRelease::Law joint{{Points{}, p}};
      if (in_last_dimension()) {
        Points points;
        leave(boundaries, counted, points);
        joint = {{points, p}};
      } else {
        for (const CellInterval& slab : slabs_between(boundaries, end()))
          joint = followed_by(joint, slab_law(sorted, slab));
      }
      for (const auto& [points, q] : joint) law[points] += q;
    });
    return law;
  }

  BoxRelease::Law slab_law(const Sorted& sorted, const CellInterval& slab) {
    // Copied, because the next dimension reorders the rows, and the caller needs the old order.
    const std::span<std::uint64_t> found = sorted.within(slab);
    std::vector<std::uint64_t> inside(found.begin(), found.end());
    const DiscreteLaplace& noise = searches[at.size() + 1].noise;
    const auto truth = static_cast<std::int64_t>(inside.size());
    const auto most = static_cast<std::int64_t>(columns[0].size());
    BoxRelease::Law law{{Points{}, upper_tail<long double>(noise, truth)}};  // Pr[truth + Y <= 0]
    enter(slab);
    for (std::int64_t count = 1; count <= most; ++count) {
      const long double at_least = upper_tail<long double>(noise, count - truth);
      const long double p = count == most ? at_least : at_least - upper_tail<long double>(noise, count + 1 - truth);
      for (const auto& [points, q] : cut_law(inside, static_cast<std::uint64_t>(count))) law[points] += p * q;
    }
    at.pop_back();
    return law;
  }

  static BoxRelease::Law followed_by(const BoxRelease::Law& first, const BoxRelease::Law& second) {
    BoxRelease::Law both;
    for (const auto& [a, p] : first) {
      for (const auto& [b, q] : second) {
        Points points = a;
        points.insert(points.end(), b.begin(), b.end());
        both[points] += p * q;
      }
    }
    return both;
  }
};

std::vector<std::uint64_t> all_rows(const Columns& columns) {
  std::vector<std::uint64_t> rows(columns[0].size());
  std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  return rows;
}

}  // namespace

Result<double> ReleasedBoxes::fraction(std::span<const CellInterval> box) const {
  if (box.size() != cells_.size())
    return Error{ErrorCode::kInvalidArgument, "a box must have one interval for each dimension"};
  for (std::size_t j = 0; j < box.size(); ++j) {
    if (box[j].first > box[j].last || box[j].last >= cells_[j]) {
      return Error{ErrorCode::kInvalidArgument,
                   "both ends of an interval must be cells of the grid, and the first must not lie after the last"};
    }
  }
  double sum = 0;
  for (const Point& point : points_) {
    bool inside = true;
    for (std::size_t j = 0; j < box.size(); ++j) {
      inside = inside && box[j].first <= point.cells[j] && point.cells[j] <= box[j].last;
    }
    if (inside) sum += static_cast<double>(point.mass);
  }
  return sum / static_cast<double>(unit_) / static_cast<double>(rows_);
}

Result<BoxRelease> BoxRelease::create(std::vector<Grid> grids, const Epsilon& alpha, std::uint64_t pieces) {
  if (grids.empty() || pieces < 2) {
    return Error{ErrorCode::kInvalidArgument,
                 "a box release needs at least one dimension, and at least two pieces in each dimension"};
  }
  HEARSAY_TRY(const Rational share, exact(alpha).divided_by(whole(2 * grids.size() - 1)));
  std::vector<QuantileSearch> searches;
  double slabs = 1;
  double total = 0;
  for (const Grid& grid : grids) {
    // The questions of a slab are those of its searches and, after the first dimension, its own count.
    const double questions = (static_cast<double>(pieces) - 1) * grid.bits() + (searches.empty() ? 0 : 1);
    total += slabs * questions;
    slabs *= 2 * static_cast<double>(pieces) - 1;
    if (total > static_cast<double>(kMostQuestions)) {
      return Error{ErrorCode::kDomainTooLarge,
                   "the release would take more than 2^22 noisy counts: use fewer pieces or dimensions"};
    }
    const Rational sensitivity = whole(static_cast<std::uint64_t>(questions));
    HEARSAY_TRY(const DiscreteLaplace noise, calibrated_noise(sensitivity, share));
    searches.push_back({grid.bits(), pieces, noise});
  }
  return BoxRelease(std::move(grids), std::move(searches), static_cast<std::uint64_t>(total));
}

Result<Columns> BoxRelease::on_grid(Columns columns) const {
  if (columns.size() != grids_.size() || columns[0].empty()) {
    return Error{ErrorCode::kInvalidArgument, "there must be at least one record, and one column for each dimension"};
  }
  if (columns[0].size() > IntervalRelease::kMostRows)
    return Error{ErrorCode::kLimitExceeded, "there may be at most 2^40 records"};
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j].size() != columns[0].size()) {
      return Error{ErrorCode::kInvalidArgument, "all columns must have one entry for each record"};
    }
    for (std::uint64_t& cell : columns[j]) cell = std::min(cell, grids_[j].cells() - 1);
  }
  return columns;
}

Result<ReleasedBoxes> BoxRelease::release(Columns columns, BitSource& bits) const {
  HEARSAY_TRY(columns, on_grid(std::move(columns)));
  std::vector<std::uint64_t> cells;
  for (const Grid& grid : grids_) cells.push_back(grid.cells());
  std::vector<std::uint64_t> rows = all_rows(columns);
  Points points;
  Cutter{searches_, columns, {}}.cut(rows, rows.size(), bits, points);
  return ReleasedBoxes(std::move(points), std::move(cells), 2 * searches_[0].pieces, rows.size());
}

Result<BoxRelease::Law> BoxRelease::law(Columns columns) const {
  HEARSAY_TRY(columns, on_grid(std::move(columns)));
  const auto pieces = static_cast<double>(searches_[0].pieces);
  double paths = 1;
  for (std::size_t j = grids_.size(); j > 0; --j) {
    if (j < grids_.size()) paths = std::pow(1 + static_cast<double>(columns[0].size()) * paths, 2 * pieces - 1);
    paths *= std::pow(static_cast<double>(grids_[j - 1].cells()), pieces - 1);
  }
  if (!(paths <= 0x1p20))
    return Error{ErrorCode::kDomainTooLarge,
                 "the release has more than 2^20 outcomes to enumerate: take fewer rows or a smaller domain"};
  std::vector<std::uint64_t> rows = all_rows(columns);
  return Cutter{searches_, columns, {}}.cut_law(rows, rows.size());
}

Result<double> BoxRelease::error_bound(std::uint64_t rows, double delta) const {
  if (rows == 0 || !(delta > 0 && delta < 1)) {
    return Error{ErrorCode::kInvalidArgument, "there must be at least one row, and delta must lie strictly in (0, 1)"};
  }
  const auto pieces = static_cast<double>(searches_[0].pieces);
  double noise = 0;
  for (const QuantileSearch& search : searches_) noise = std::max(noise, search.noise.scale().approximate());
  // Pr[|Y| > x] <= exp(-(x - 1/2)/t) for each question.
  const double reach = noise * (std::log(static_cast<double>(most_questions_)) - std::log(delta)) + 0.5;
  double c = 1 / pieces;
  double g = 3;
  for (std::size_t j = 1; j < searches_.size(); ++j) {
    c += 2 / pieces;
    g = (2 * pieces - 1) * g + 8;
  }
  return c + g * reach / static_cast<double>(rows);
}

}  // namespace hearsay::central
