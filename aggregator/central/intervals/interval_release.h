// The interval release of Blum, Ligett and Roth: released points answer every interval query.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "aggregator/central/domain/grid.h"
#include "aggregator/central/intervals/quantile_search.h"
#include "aggregator/central/neighbours.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// The cells from `first` to `last`, both included.
struct CellInterval {
  std::uint64_t first;
  std::uint64_t last;
};

// A released synthetic database over the cells of a grid. Reading the database costs no privacy.
class ReleasedPoints {
 public:
  // `points` must be sorted and not empty.
  ReleasedPoints(std::vector<std::uint64_t> points, std::uint64_t cells) : points_(std::move(points)), cells_(cells) {}

  const std::vector<std::uint64_t>& points() const { return points_; }
  // Returns the share of the points in the interval, or in the union of the intervals, which may overlap. Errors:
  // kInvalidArgument (an interval is empty or leaves the grid; a union of no intervals).
  Result<double> fraction(const CellInterval& interval) const;
  Result<double> fraction(std::vector<CellInterval> intervals) const;

 private:
  std::vector<std::uint64_t> points_;
  std::uint64_t cells_;
};

// Asks for noisy counts, at most a public number of them. Each count has sensitivity 1 and costs α divided by this
// number. The release is purely and exactly α-differentially private under replace-one neighbours (n is public). A
// value off the grid counts in the nearest cell, NaN in the first. The release refuses no record. Immutable,
// thread-safe.
//
// Blum, Ligett, Roth 2008, Theorem 4.2, with pieces of mass near ε/4. The paper searches for one piece after the other.
// IntervalRelease searches for quantiles of all records instead. So there are always ⌊4/ε⌋ - 1 searches and at most
// 4b/ε counts, where b is the number of bits of the grid. The errors of the pieces do not add up. Several searches can
// find the same cell, if the cell is too heavy to be divided. The paper's n is 32b·ln(4b/(εδ))/(αε³).
class IntervalRelease {
 public:
  static constexpr Neighbours kNeighbours = Neighbours::kReplaceOne;
  static constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40U;

  // `error` ε in [10^-4, 1) is the error of a fraction, for every interval at once. Errors: kInvalidArgument;
  // kOverflow, kScaleTooLarge for extreme parameters.
  static Result<IntervalRelease> create(const Grid& grid, const Epsilon& alpha, const Rational& error);

  // Release points that answer every interval query. Errors: kInvalidArgument (no rows), kLimitExceeded (more than 2^40
  // rows; n is public). Throws EntropyError. Cost: n·log n.
  Result<ReleasedPoints> release(std::span<const double> values, BitSource& bits) const;
  Result<ReleasedPoints> release_cells(std::vector<std::uint64_t> cells, BitSource& bits) const;

  // Returns ⌈32b·ln(4b/(εδ))/(αε³) + 4/ε²⌉. With this number of rows or more, the fractions of all intervals are within
  // error_bound() of the truth, with probability at least 1 - δ. (The second term pays for discrete noise.) Errors:
  // kInvalidArgument unless 0 < δ < 1; kOverflow above 2^53.
  Result<std::uint64_t> rows_needed(double delta) const;
  // Returns 1/⌊4/ε⌋ + ε²/4, which is below 7ε/12. A union of t intervals may be off by t times as much.
  double error_bound() const;

  const QuantileSearch& search() const { return search_; }

  // Returns every list of boundaries with its probability, for audits. A released database is a function of its list of
  // boundaries. Errors: as for release_cells(); kDomainTooLarge above 2^20 lists.
  Result<std::map<std::vector<std::uint64_t>, long double>> law(std::vector<std::uint64_t> cells) const;

 private:
  IntervalRelease(const Grid& grid, const Epsilon& alpha, const Rational& error, const QuantileSearch& search)
      : grid_(grid), alpha_(alpha), error_(error), search_(search) {}
  Result<std::vector<std::uint64_t>> sorted(std::vector<std::uint64_t> cells) const;
  Grid grid_;
  Epsilon alpha_;
  Rational error_;
  QuantileSearch search_;
};

}  // namespace hearsay::central
