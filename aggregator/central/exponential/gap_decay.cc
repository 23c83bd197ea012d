#include "aggregator/central/exponential/gap_decay.h"

#include <algorithm>
#include <cmath>

#include "aggregator/central/calibration.h"
#include "common/base/int128.h"
#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {

Result<GapDecay> GapDecay::create(const Rational& epsilon, const Rational& sensitivity, ScoreMovement movement) {
  if (epsilon.num() == 0) return Error{ErrorCode::kInvalidArgument, "ε must be above 0"};
  if (sensitivity.num() == 0) return Error{ErrorCode::kInvalidArgument, "the sensitivity of a score must be above 0"};
  HEARSAY_TRY(const Rational reach, sensitivity.times(whole(movement == ScoreMovement::kEitherWay ? 2 : 1)));
  HEARSAY_TRY(const Rational rate, epsilon.divided_by(reach));
  return GapDecay(epsilon, rate);
}

// Splits rate·gap into an integer and a fraction below 1: one trial of probability e^-1 for each unit of the integer,
// and one trial for the fraction. The first failure ends the loop. So the loop takes at most 1.6 trials on average.
bool GapDecay::keep(std::uint64_t gap, BitSource& bits) const {
  const Uint128 product = Uint128{gap} * rate_.num();
  for (Uint128 whole = product / rate_.den(); whole > 0; --whole) {
    if (!bernoulli_exp_minus(bits, 1, 1)) return false;
  }
  return bernoulli_exp_minus(bits, static_cast<std::uint64_t>(product % rate_.den()), rate_.den());
}

Result<double> GapDecay::shortfall_bound(std::uint64_t candidates, double beta) const {
  if (candidates == 0) return Error{ErrorCode::kInvalidArgument, "there must be at least one candidate"};
  if (!(beta > 0 && beta < 1)) return Error{ErrorCode::kInvalidArgument, "beta must lie strictly in (0, 1)"};
  return (std::log(static_cast<double>(candidates)) - std::log(beta)) / rate_.approximate();
}

Result<std::vector<std::uint64_t>> score_gaps(std::span<const std::int64_t> scores) {
  if (scores.empty()) return Error{ErrorCode::kInvalidArgument, "there must be at least one candidate"};
  const auto best = static_cast<std::uint64_t>(*std::max_element(scores.begin(), scores.end()));
  std::vector<std::uint64_t> gaps;
  gaps.reserve(scores.size());
  for (const std::int64_t score : scores) gaps.push_back(best - static_cast<std::uint64_t>(score));  // modulo 2^64
  return gaps;
}

}  // namespace hearsay::central
