// The halfspace release of Blum, Ligett and Roth: random projections, a net of halfspaces in each, private counts, and
// the median of the counts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aggregator/central/halfspaces/net.h"
#include "aggregator/central/neighbours.h"
#include "common/privacy/discrete_laplace.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// m public random sign matrices from R^d to R^k, and a net of halfspaces of R^k. Immutable, thread-safe.
class HalfspaceProjections {
 public:
  // `dimension` d and `projections` m are at least 1. m is odd, so one of the projections gives the median. k and the
  // size of the net come from `net`. The matrices are drawn here, before any data are seen, and are published with the
  // release. Errors: kInvalidArgument; kDomainTooLarge if m·d·k or m·(net size) exceeds 2^26. Throws EntropyError.
  static Result<HalfspaceProjections> create(std::uint32_t dimension, std::uint32_t projections,
                                             const HalfspaceNet& net, BitSource& bits);

  std::uint32_t dimension() const { return dimension_; }
  std::uint32_t projections() const { return projections_; }
  const HalfspaceNet& net() const { return net_; }

  // Returns √k·P_i(x), where P_i is the projection of number i = `projection`, for x with d coordinates.
  std::vector<double> project(std::uint32_t projection, std::span<const double> x) const;

 private:
  HalfspaceProjections(std::uint32_t dimension, std::uint32_t projections, const HalfspaceNet& net,
                       std::vector<std::int8_t> signs)
      : dimension_(dimension), projections_(projections), net_(net), signs_(std::move(signs)) {}
  std::uint32_t dimension_;
  std::uint32_t projections_;
  HalfspaceNet net_;
  std::vector<std::int8_t> signs_;  // by projection, then by row (d rows), then by column (k columns)
};

// The released counts. Reading the counts costs no privacy.
class ReleasedHalfspaces {
 public:
  ReleasedHalfspaces(std::shared_ptr<const HalfspaceProjections> projections, std::vector<std::int64_t> noisy,
                     std::uint64_t rows)
      : projections_(std::move(projections)), noisy_(std::move(noisy)), rows_(rows) {}

  // Estimates the fraction of rows x with x·y >= 0. For each projection i, answer() looks up the noisy count at the net
  // vector near P_i(y). The estimate is the median of these counts divided by n, not clipped. Errors: kInvalidArgument
  // unless y has d finite coordinates, not all 0.
  Result<double> answer(std::span<const double> y) const;

 private:
  std::shared_ptr<const HalfspaceProjections> projections_;
  std::vector<std::int64_t> noisy_;
  std::uint64_t rows_;
};

// The release is purely and exactly α-differentially private under replace-one neighbours (n is public). A replaced row
// moves each of the m·|N| counts by at most 1, and each count gets discrete Laplace noise of scale m·|N|/α. Floating
// point decides on which side a row is, from that row alone, so rounding costs no privacy. A row with a coordinate that
// is not a finite number is in no halfspace. Rows may be any finite reals. Theorem 5.1 (no private release over the
// reals is useful) does not apply, since the paper promises nothing for rows within a margin. Immutable, thread-safe.
// Blum, Ligett, Roth 2008, section 6 and Theorem 6.5.
class HalfspaceRelease {
 public:
  static constexpr Neighbours kNeighbours = Neighbours::kReplaceOne;

  // Errors: kOverflow, kScaleTooLarge.
  static Result<HalfspaceRelease> create(HalfspaceProjections projections, const Epsilon& alpha);

  // Returns, for each projection and each net vector, the number of rows in the halfspace. `rows` are n·d coordinates,
  // row by row. Cost: n·m·|N|·k. Errors: kInvalidArgument (no rows, or d does not divide the length), kLimitExceeded
  // (the cost exceeds 2^36). All errors depend only on n and other public numbers.
  Result<std::vector<std::uint64_t>> counts(std::span<const double> rows) const;
  // Returns the counts plus independent noise, clamped to ±2^61. Errors: as for counts(). Throws EntropyError.
  Result<ReleasedHalfspaces> release(std::span<const double> rows, BitSource& bits) const;

  const HalfspaceProjections& projections() const { return *projections_; }
  const DiscreteLaplace& noise() const { return noise_; }
  std::uint64_t questions() const { return std::uint64_t{projections_->projections()} * projections_->net().size(); }

  // Returns ⌈(m|N|/(error2·α))·ln(m|N|/delta2) + 1/(2·error2)⌉. With this number n of rows or more, no count is off by
  // more than error2·n, with probability at least 1 - delta2. (The last term is for discrete noise. The paper prints
  // the product as a sum.) Errors: kInvalidArgument unless 0 < error2, delta2 < 1; kOverflow above 2^53.
  Result<std::uint64_t> rows_needed(double error2, double delta2) const;

 private:
  HalfspaceRelease(std::shared_ptr<const HalfspaceProjections> projections, const DiscreteLaplace& noise,
                   const Rational& alpha)
      : projections_(std::move(projections)), noise_(noise), alpha_(alpha) {}
  std::shared_ptr<const HalfspaceProjections> projections_;
  DiscreteLaplace noise_;
  Rational alpha_;
};

}  // namespace hearsay::central
