// The maximum or minimum of a table, up to a few ranks: the private mechanism for that query.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/exponential/permute_and_flip.h"
#include "aggregator/central/neighbours.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// Which end of an ordered domain is asked for.
enum class Extreme {
  kMaximum,
  kMinimum,
};

// Selects a value v of the domain 0, ..., values - 1 by permute-and-flip with the score
//
//   -max(0, above(v) - (k - 1), k - from(v)),   above(v) = #{rows > v},   from(v) = #{rows >= v},
//
// which is 0 exactly for the k-th largest row (k-th smallest, for the minimum). Adding, removing or replacing a row
// moves it by at most 1, so the release is ε-private for either kind of neighbours, purely and exactly, in the central
// model. The target is a rank and not the maximum itself because the score -above(v) cannot tell the maximum from what
// lies beyond it: no one row may decide. Immutable, thread-safe.
//
// It stands for the published release of max and min (published_extreme.h), which is not private.
// Selection: McKenna, Sheldon 2020; McSherry, Talwar 2007, Theorem 6 for the bound.
class RankedExtreme {
 public:
  static constexpr std::uint32_t kMostValues = std::uint32_t{1} << 20U;

  // The k at which a value beyond every row comes out with probability at most `delta`: ⌈(2/ε)·ln((values-1)/delta)⌉,
  // at least 1. `values`: 1 to 2^20. `delta` strictly in (0, 1). Errors: kInvalidArgument, kDomainTooLarge, kOverflow.
  static Result<RankedExtreme> create(Extreme extreme, const Epsilon& epsilon, Neighbours neighbours,
                                      std::uint32_t values, double delta);

  // A value. A row outside the domain counts as the largest value. Errors: kInvalidArgument for no row where their
  // number is public. With fewer than k rows the answer is as private, but means nothing; without any it is uniform.
  // Throws EntropyError. Cost: rows plus at most a coin a value; how many coins depends on the rows.
  Result<std::uint32_t> release(std::span<const std::uint32_t> rows, BitSource& bits) const;

  // What release() selects by, for audits. Errors: as release().
  Result<std::vector<std::int64_t>> scores(std::span<const std::uint32_t> rows) const;
  const PermuteAndFlip& selection() const { return selection_; }

  std::uint64_t rank() const { return rank_; }  // k
  // With at least k rows, with probability at least 1 - delta, the answer is not beyond the extreme row, and at most so
  // many rows are beyond the answer: 2(k-1).
  std::uint64_t most_rows_beyond() const { return 2 * (rank_ - 1); }
  // So the answer is within e of the true extreme, with that probability, once so many rows are within e of it: 2k - 1.
  std::uint64_t rows_needed_near() const { return 2 * rank_ - 1; }

  Neighbours neighbours() const { return neighbours_; }

 private:
  RankedExtreme(Extreme extreme, Neighbours neighbours, std::uint32_t values, std::uint64_t rank,
                const PermuteAndFlip& selection)
      : extreme_(extreme), neighbours_(neighbours), values_(values), rank_(rank), selection_(selection) {}
  Extreme extreme_;
  Neighbours neighbours_;
  std::uint32_t values_;
  std::uint64_t rank_;
  PermuteAndFlip selection_;
};

}  // namespace hearsay::central
