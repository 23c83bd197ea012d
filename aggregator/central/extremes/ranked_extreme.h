// Releases a value near the maximum or minimum of a table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/exponential/permute_and_flip.h"
#include "aggregator/central/neighbours.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// Which end of an ordered domain the release aims at.
enum class Extreme {
  kMaximum,
  kMinimum,
};

// Selects a value v of the domain 0, ..., values - 1 by permute-and-flip with the score
//
//   -max(0, above(v) - (k - 1), k - from(v)),   above(v) = #{rows > v},   from(v) = #{rows >= v}.
//
// With at least k rows, the score is 0 exactly for the value of the k-th largest row (for the minimum: the k-th
// smallest row). Adding, removing or replacing a row moves a score by at most 1. So the release is purely and exactly
// ε-private for both kinds of neighbours, in the central model. The release aims at a rank, not at the maximum itself,
// since no single row may decide the answer. Immutable, thread-safe.
//
// Use this in place of the published release of maximum and minimum (published_extreme.h), which is not private. The
// selection is that of McKenna and Sheldon 2020. The bound is that of McSherry and Talwar 2007, Theorem 6.
class RankedExtreme {
 public:
  static constexpr std::uint32_t kMostValues = std::uint32_t{1} << 20U;

  // Chooses the rank k = ⌈(2/ε)·ln((values-1)/delta)⌉, at least 1. So a value beyond every row is released with
  // probability at most `delta`. `values`: 1 to 2^20. `delta` is strictly between 0 and 1. Errors: kInvalidArgument,
  // kDomainTooLarge, kOverflow.
  static Result<RankedExtreme> create(Extreme extreme, const Epsilon& epsilon, Neighbours neighbours,
                                      std::uint32_t values, double delta);

  // Releases a value near the extreme. A row outside the domain counts as the largest value. With fewer than k rows the
  // answer is still private, but means nothing. Without rows the answer is uniform. Errors: kInvalidArgument for an
  // empty `rows` if the number of rows is public. Throws EntropyError. Cost: one look at each row, and at most one coin
  // for each value. The number of coins depends on the rows.
  Result<std::uint32_t> release(std::span<const std::uint32_t> rows, BitSource& bits) const;

  // Returns the scores that release() selects by, for audits. Errors: as release().
  Result<std::vector<std::int64_t>> scores(std::span<const std::uint32_t> rows) const;
  const PermuteAndFlip& selection() const { return selection_; }

  std::uint64_t rank() const { return rank_; }  // k
  // Returns 2(k-1). With at least k rows, the following holds with probability at least 1 - delta: the answer is not
  // beyond the extreme row, and at most 2(k-1) rows are beyond the answer.
  std::uint64_t most_rows_beyond() const { return 2 * (rank_ - 1); }
  // Returns 2k - 1. If at least 2k - 1 rows are within a distance e of the true extreme, the answer is within e, too,
  // with probability at least 1 - delta.
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
