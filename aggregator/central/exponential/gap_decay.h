// How fast the weight of a candidate falls with its distance from the best score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/rational.h"
#include "common/random/bit_source.h"

namespace hearsay::central {

// How the scores of all candidates may move between two neighbouring data sets, each by at most the sensitivity Δ.
enum class ScoreMovement : std::uint8_t {
  kEitherWay,  // some up, some down: differences of scores move by up to 2Δ, and the exponent is ε·score/(2Δ)
  kOneWay,     // none up or none down (counts under add-remove, say): by up to Δ, and the exponent is ε·score/Δ
};

// The weight exp(-rate·gap) of a candidate whose score lies `gap` below the best one; rate = ε/(2Δ) or ε/Δ, exactly.
// Immutable, thread-safe.
class GapDecay {
 public:
  // `epsilon` > 0; `sensitivity` Δ > 0 in units of the (integer) scores.
  // Errors: kInvalidArgument, kOverflow if the rate does not fit 64-bit integers.
  static Result<GapDecay> create(const Rational& epsilon, const Rational& sensitivity, ScoreMovement movement);

  const Rational& epsilon() const { return epsilon_; }
  const Rational& rate() const { return rate_; }

  // True with probability exp(-rate·gap), exactly for every gap: integers and bits only, nothing overflows or
  // underflows. Expected bytes: below 6. Throws EntropyError.
  bool keep(std::uint64_t gap, BitSource& bits) const;

  // The least B that this bound gives with Pr[best - score of the candidate drawn >= B] <= beta, in units of the score:
  // (ln candidates + ln(1/beta))/rate. Both for the exponential mechanism and for permute-and-flip, which is never
  // worse. McSherry, Talwar 2007, Theorem 6. Errors: kInvalidArgument unless candidates >= 1 and 0 < beta < 1.
  Result<double> shortfall_bound(std::uint64_t candidates, double beta) const;

 private:
  GapDecay(const Rational& epsilon, const Rational& rate) : epsilon_(epsilon), rate_(rate) {}
  Rational epsilon_;
  Rational rate_;
};

// best - score for every candidate. Any two 64-bit scores have a gap below 2^64.
// Errors: kInvalidArgument if there is no candidate.
Result<std::vector<std::uint64_t>> score_gaps(std::span<const std::int64_t> scores);

}  // namespace hearsay::central
