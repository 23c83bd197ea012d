// The weight of a candidate as a function of how far its score is below the best score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/rational.h"
#include "common/random/bit_source.h"

namespace hearsay::central {

// How the scores of all candidates may move between two neighbouring data sets. Each score moves by at most the
// sensitivity Δ.
enum class ScoreMovement : std::uint8_t {
  // Some scores may rise and others fall. Differences of scores move by up to 2Δ, so the exponent is ε·score/(2Δ).
  kEitherWay,
  // No score rises, or no score falls (for example counts under add-remove). Differences move by up to Δ, so the
  // exponent is ε·score/Δ.
  kOneWay,
};

// The weight exp(-rate·gap) of a candidate whose score is `gap` below the best one. The rate is exactly ε/(2Δ) for
// kEitherWay and ε/Δ for kOneWay. Immutable, thread-safe.
class GapDecay {
 public:
  // `epsilon` > 0. `sensitivity` Δ > 0, in units of the (integer) scores. Errors: kInvalidArgument, kOverflow if the
  // rate does not fit 64-bit integers.
  static Result<GapDecay> create(const Rational& epsilon, const Rational& sensitivity, ScoreMovement movement);

  const Rational& epsilon() const { return epsilon_; }
  const Rational& rate() const { return rate_; }

  // Returns true with probability exp(-rate·gap), exactly for every gap. Uses integers and random bits only. Throws
  // EntropyError.
  bool keep(std::uint64_t gap, BitSource& bits) const;

  // Returns a B for which Pr[best score - score of the candidate drawn >= B] <= beta, in units of the score: B = (ln
  // candidates + ln(1/beta))/rate. Holds for the exponential mechanism and for permute-and-flip. McSherry, Talwar 2007,
  // Theorem 6. Errors: kInvalidArgument unless candidates >= 1 and 0 < beta < 1.
  Result<double> shortfall_bound(std::uint64_t candidates, double beta) const;

 private:
  GapDecay(const Rational& epsilon, const Rational& rate) : epsilon_(epsilon), rate_(rate) {}
  Rational epsilon_;
  Rational rate_;
};

// Returns best - score for every candidate. A gap is below 2^64 for all 64-bit scores. Errors: kInvalidArgument if
// there is no candidate.
Result<std::vector<std::uint64_t>> score_gaps(std::span<const std::int64_t> scores);

}  // namespace hearsay::central
