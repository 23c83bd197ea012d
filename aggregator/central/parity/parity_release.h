// Publishes how many records have each possible row of bits. Then anybody can count parities of attributes, or learn a
// hidden parity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/cells/cell_release.h"
#include "common/random/bit_source.h"

namespace hearsay::central {

inline constexpr unsigned kMostParityAttributes = 20;

// A row of d bits. Bit j - 1 is the j-th attribute; the d-th attribute is the label. A vector v selects some of the
// other d - 1 attributes. A row agrees with v if the parity of the selected attributes equals the label.
using BitRow = std::uint32_t;
bool agrees(BitRow row, BitRow vector, unsigned attributes);

// Published rows: a count for each of the 2^d possible rows. Anybody may see the counts. Immutable, thread-safe.
class ReleasedRows {
 public:
  // `counts` has 2^attributes counts, not all 0, adding up to less than 2^63. There must be 2 to 20 attributes. Errors:
  // kInvalidArgument, kOverflow.
  static Result<ReleasedRows> create(unsigned attributes, std::vector<std::uint64_t> counts);

  std::uint64_t rows() const { return cumulative_.back(); }
  unsigned attributes() const { return attributes_; }

  // Returns the number of rows that agree with v. Divided by rows(), this is the paper's parity query PQ_v (section
  // 6.1). v < 2^(d-1); higher bits are ignored. Cost: 2^d.
  std::uint64_t agreeing(BitRow vector) const;
  // Returns the share of rows that disagree with v. If v is the hidden vector, this is the paper's noise rate η.
  double noise_rate(BitRow vector) const;
  // Groups the rows by their attributes without the label, and returns the largest share of a group that disagrees with
  // v. Lemma 6.1 needs noise that does not depend on the attributes. With the returned rate for η, the lemma's bound
  // holds for any noise.
  double worst_noise_rate(BitRow vector) const;

  // Draws a row uniformly, with replacement. Throws EntropyError.
  BitRow draw(BitSource& bits) const;

 private:
  ReleasedRows(unsigned attributes, std::vector<std::uint64_t> cumulative)
      : attributes_(attributes), cumulative_(std::move(cumulative)) {}
  std::uint64_t count(BitRow row) const { return cumulative_[row] - (row == 0 ? 0 : cumulative_[row - 1]); }

  unsigned attributes_;
  // For each row, the sum of the counts of all rows up to this one.
  std::vector<std::uint64_t> cumulative_;
};

// Adds exact discrete Laplace noise to the 2^d counts, and sets negative results to 0. This cell release is purely and
// exactly ε-private for the stated neighbours. Xiao, Xiong, Yuan 2010, section 6.2. Immutable, thread-safe.
class ParityRelease {
 public:
  // There must be 2 to 20 attributes, the label included. Errors: kInvalidArgument.
  static Result<ParityRelease> create(const Epsilon& epsilon, Neighbours neighbours, unsigned attributes);

  // Ignores bits of a row beyond the d-th. Errors: kInvalidArgument for an empty `rows` if the number of rows is
  // public; those of ReleasedRows::create, which depend only on the noisy counts and so cost no privacy. Throws
  // EntropyError. Cost: one random draw for each cell.
  Result<ReleasedRows> release(std::span<const BitRow> rows, BitSource& bits) const;

  // Returns the cell release. cells/cell_accuracy.h bounds the error of its 2^d counts before clipping.
  const CellRelease& cells() const { return cells_; }

 private:
  ParityRelease(CellRelease cells, unsigned attributes) : cells_(cells), attributes_(attributes) {}
  CellRelease cells_;
  unsigned attributes_;
};

}  // namespace hearsay::central
