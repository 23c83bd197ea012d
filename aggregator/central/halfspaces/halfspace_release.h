// The halfspace release of Blum, Ligett and Roth: random projections, a net in each, private counts, the median.
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
  // `dimension` d and `projections` m at least 1, m odd (the median is then one of them); k and the net size are the
  // net's. The matrices are drawn here, before any data are seen; they are published with the release. Errors:
  // kInvalidArgument; kDomainTooLarge if m·d·k or m·(net size) exceeds 2^26. Throws EntropyError.
  static Result<HalfspaceProjections> create(std::uint32_t dimension, std::uint32_t projections,
                                             const HalfspaceNet& net, BitSource& bits);

  std::uint32_t dimension() const { return dimension_; }
  std::uint32_t projections() const { return projections_; }
  const HalfspaceNet& net() const { return net_; }

  // √k·P_i(x), for x of d coordinates.
  std::vector<double> project(std::uint32_t projection, std::span<const double> x) const;

 private:
  HalfspaceProjections(std::uint32_t dimension, std::uint32_t projections, const HalfspaceNet& net,
                       std::vector<std::int8_t> signs)
      : dimension_(dimension), projections_(projections), net_(net), signs_(std::move(signs)) {}
  std::uint32_t dimension_;
  std::uint32_t projections_;
  HalfspaceNet net_;
  std::vector<std::int8_t> signs_;  // by projection, row (d) and column (k)
};

// What has been released. Reading it costs no privacy.
class ReleasedHalfspaces {
 public:
  ReleasedHalfspaces(std::shared_ptr<const HalfspaceProjections> projections, std::vector<std::int64_t> noisy,
                     std::uint64_t rows)
      : projections_(std::move(projections)), noisy_(std::move(noisy)), rows_(rows) {}

  // About the fraction of rows x with x·y >= 0: the median over the projections of the count at the net vector near
  // P_i(y), over n; not clipped. Errors: kInvalidArgument unless y has d finite coordinates, not all 0.
  Result<double> answer(std::span<const double> y) const;

 private:
  std::shared_ptr<const HalfspaceProjections> projections_;
  std::vector<std::int64_t> noisy_;
  std::uint64_t rows_;
};

// α-differentially private under replace-one neighbours (n is public), purely and exactly: m·|N| counts, each moved by
// at most 1, with discrete Laplace noise of scale m·|N|/α. Which side a row is on is computed in floating point, from
// that row alone, so rounding costs no privacy. Rows may be any finite reals: Theorem 5.1 does not apply, because
// usefulness leaves open the rows within a margin (margin_range()). Immutable, thread-safe. Blum, Ligett, Roth 2008,
// section 6 and Theorem 6.5.
class HalfspaceRelease {
 public:
  static constexpr Neighbours kNeighbours = Neighbours::kReplaceOne;

  // Errors: kOverflow, kScaleTooLarge.
  static Result<HalfspaceRelease> create(HalfspaceProjections projections, const Epsilon& alpha);

  // The statistic, by projection and net vector: how many rows lie in the halfspace. `rows` are n·d coordinates, row by
  // row. Cost: n·m·|N|·k. Errors: kInvalidArgument for no rows or a length that d does not divide; kInvalidRecord for
  // coordinates that are not finite; kLimitExceeded if the cost exceeds 2^36.
  Result<std::vector<std::uint64_t>> counts(std::span<const double> rows) const;
  // The statistic plus independent noise. Errors: as for counts(). Throws EntropyError.
  Result<ReleasedHalfspaces> release(std::span<const double> rows, BitSource& bits) const;

  const HalfspaceProjections& projections() const { return *projections_; }
  const DiscreteLaplace& noise() const { return noise_; }
  std::uint64_t questions() const { return std::uint64_t{projections_->projections()} * projections_->net().size(); }

  // At so many rows no count is off by more than error2·n, with probability at least 1 - delta2:
  // ⌈(m|N|/(error2·α))·ln(m|N|/delta2) + 1/(2·error2)⌉, the last term for discrete noise (printed as a sum, it is this
  // product). Errors: kInvalidArgument unless 0 < error2, delta2 < 1; kOverflow above 2^53.
  Result<std::uint64_t> rows_needed(double error2, double delta2) const;

 private:
  HalfspaceRelease(std::shared_ptr<const HalfspaceProjections> projections, const DiscreteLaplace& noise,
                   const Rational& alpha)
      : projections_(std::move(projections)), noise_(noise), alpha_(alpha) {}
  std::shared_ptr<const HalfspaceProjections> projections_;
  DiscreteLaplace noise_;
  Rational alpha_;
};

// The fractions that are right answers for y with margin γ: rows whose cosine with y is at most γ in absolute value may
// be counted or not (Definition 5.3 for halfspaces). An answer is off by its distance to [low, high].
struct MarginRange {
  double low;
  double high;
  double distance(double answer) const;
};
// Errors: kInvalidArgument for no rows, a length that the dimension does not divide, coordinates that are not finite, y
// = 0, or γ outside [0, 1].
Result<MarginRange> margin_range(std::span<const double> rows, std::span<const double> y, double gamma);

// The paper's k: ⌈4·ln(8/error1)/((γ/16)² - (γ/16)³)⌉, 14,654 at γ = 1/2, error1 = 1/4: no net of that dimension can
// be held. Errors: kInvalidArgument unless 0 < γ <= 1, 0 < error1 < 1; kOverflow above 2^53.
Result<std::uint64_t> paper_dimension(double gamma, double error1);
// The paper's m for halfspaces given with `bits` bits a coordinate: ⌈12·(ln(1/delta1) + ln 2·bits·dimension)⌉.
// Errors: kInvalidArgument unless 0 < delta1 < 1; kOverflow above 2^53.
Result<std::uint64_t> paper_projections(double delta1, std::uint64_t bits, std::uint64_t dimension);

}  // namespace hearsay::central
