// Releases weighted points in several dimensions, which answer every axis-aligned box.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "aggregator/central/intervals/interval_release.h"

namespace hearsay::central {

// Released mass at points of a product of grids. Reading the mass costs no privacy.
class ReleasedBoxes {
 public:
  struct Point {
    std::vector<std::uint64_t> cells;  // the point's cell in each dimension
    std::uint64_t mass;                // the point's mass, in units of 1/unit() records
    auto operator<=>(const Point&) const = default;
  };

  ReleasedBoxes(std::vector<Point> points, std::vector<std::uint64_t> cells, std::uint64_t unit, std::uint64_t rows)
      : points_(std::move(points)), cells_(std::move(cells)), unit_(unit), rows_(rows) {}

  const std::vector<Point>& points() const { return points_; }
  std::uint64_t unit() const { return unit_; }
  // Returns the share of the records in the box, which has one interval for each dimension. Cost: one look at every
  // point. Errors: kInvalidArgument (a wrong number of intervals, or an interval that is empty or leaves its grid).
  Result<double> fraction(std::span<const CellInterval> box) const;

 private:
  std::vector<Point> points_;
  std::vector<std::uint64_t> cells_;
  std::uint64_t unit_;
  std::uint64_t rows_;
};

// The quantiles of the first dimension cut the rows into slabs: at most K - 1 single cells, which hold the quantiles,
// and at most K open slabs between these cells. The release counts each slab, and then cuts the slab in the next
// dimension. The release is purely and exactly α-differentially private under replace-one neighbours (n is public). A
// replaced row leaves one slab and enters another. So each of d dimensions gets the share α/(2d-1), and every dimension
// after the first spends its share twice. A cell off its grid counts as the last cell. The release refuses no record.
// The number of points depends only on noisy counts. Immutable, thread-safe. Blum, Ligett, Roth 2008, section 4,
// announces this extension. The layout of the slabs and the error bound are this project's.
class BoxRelease {
 public:
  static constexpr Neighbours kNeighbours = Neighbours::kReplaceOne;
  static constexpr std::uint64_t kMostQuestions = std::uint64_t{1} << 22U;

  // `pieces` is K >= 2, for each dimension. `grids` has one grid for each dimension. Errors: kInvalidArgument;
  // kDomainTooLarge if all slabs together take more than 2^22 noisy counts; kOverflow, kScaleTooLarge.
  static Result<BoxRelease> create(std::vector<Grid> grids, const Epsilon& alpha, std::uint64_t pieces);

  // columns[j][i] is the cell of row i in dimension j. Errors: kInvalidArgument (no rows, unequal columns);
  // kLimitExceeded above 2^40 rows; n is public. Throws EntropyError. Cost: d·n·log n, and one random draw for each
  // noisy count.
  Result<ReleasedBoxes> release(std::vector<std::vector<std::uint64_t>> columns, BitSource& bits) const;

  // Returns an upper bound on the number of noisy counts, the counts of slabs included.
  std::uint64_t most_questions() const { return most_questions_; }
  // Returns the law of the noise on each count in dimension `dimension`.
  const DiscreteLaplace& noise(std::size_t dimension) const { return searches_[dimension].noise; }

  // Returns c + g·E/n for n = `rows`. With probability at least 1 - δ the fractions of all boxes are off by at most
  // this. E bounds the magnitude of all noise, c = (2d-1)/K, and g = g_d with g_1 = 3, g_j = (2K-1)·g_{j-1} + 8.
  // Errors: kInvalidArgument unless rows >= 1, 0 < δ < 1.
  Result<double> error_bound(std::uint64_t rows, double delta) const;

  // Returns every list of points that can be released, with its probability, for audits of tiny domains. Errors: as for
  // release(); kDomainTooLarge above 2^20 outcomes.
  using Law = std::map<std::vector<ReleasedBoxes::Point>, long double>;
  Result<Law> law(std::vector<std::vector<std::uint64_t>> columns) const;

 private:
  // Returns the columns with every cell moved onto its grid.
  Result<std::vector<std::vector<std::uint64_t>>> on_grid(std::vector<std::vector<std::uint64_t>> columns) const;
  BoxRelease(std::vector<Grid> grids, std::vector<QuantileSearch> searches, std::uint64_t most_questions)
      : grids_(std::move(grids)), searches_(std::move(searches)), most_questions_(most_questions) {}
  std::vector<Grid> grids_;
  std::vector<QuantileSearch> searches_;
  std::uint64_t most_questions_;
};

}  // namespace hearsay::central
