#include "aggregator/central/exponential/gap_decay.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/base/int128.h"
#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {

Result<GapDecay> GapDecay::create(const Rational& epsilon, const Rational& sensitivity, ScoreMovement movement) {
  if (epsilon.num() == 0) return Error{ErrorCode::kInvalidArgument, "ε must be above 0"};
  if (sensitivity.num() == 0) return Error{ErrorCode::kInvalidArgument, "the sensitivity of a score must be above 0"};
  HEARSAY_TRY(const Rational factor, Rational::create(movement == ScoreMovement::kEitherWay ? 2 : 1, 1));
  HEARSAY_TRY(const Rational reach, sensitivity.times(factor));
  HEARSAY_TRY(const Rational rate, epsilon.divided_by(reach));
  return GapDecay(epsilon, rate);
}

// exp(-rate·gap) = exp(-1)^whole · exp(-rest/den): the first failure ends the loop, after 1.6 trials on average however
// large `whole` is.
bool GapDecay::keep(std::uint64_t gap, BitSource& bits) const {
  const Uint128 product = Uint128{gap} * rate_.num();
  for (Uint128 whole = product / rate_.den(); whole > 0; --whole) {
    if (!bernoulli_exp_minus(bits, 1, 1)) return false;
  }
  return bernoulli_exp_minus(bits, static_cast<std::uint64_t>(product % rate_.den()), rate_.den());
}

Result<Rational> GapDecay::exponent(std::uint64_t gap) const {
  HEARSAY_TRY(const Rational steps, Rational::create(gap, 1));
  return rate_.times(steps);
}

long double GapDecay::approximate_exponent(std::uint64_t gap) const {
  return static_cast<long double>(gap) * static_cast<long double>(rate_.num()) / static_cast<long double>(rate_.den());
}

Result<double> GapDecay::shortfall_bound(std::uint64_t candidates, double beta) const {
  if (candidates == 0) return Error{ErrorCode::kInvalidArgument, "there must be a candidate"};
  if (!(beta > 0 && beta < 1)) return Error{ErrorCode::kInvalidArgument, "beta must lie strictly in (0, 1)"};
  return (std::log(static_cast<double>(candidates)) - std::log(beta)) / rate_.approximate();
}

Result<std::vector<std::uint64_t>> score_gaps(std::span<const std::int64_t> scores) {
  if (scores.empty()) return Error{ErrorCode::kInvalidArgument, "there must be a candidate"};
  const auto best = static_cast<std::uint64_t>(*std::max_element(scores.begin(), scores.end()));
  std::vector<std::uint64_t> gaps;
  gaps.reserve(scores.size());
  for (const std::int64_t score : scores) gaps.push_back(best - static_cast<std::uint64_t>(score));  // modulo 2^64
  return gaps;
}

Result<ScaledScores> scale_scores(std::span<const RationalScore> scores) {
  const Error too_large{ErrorCode::kOverflow, "the scores have no common denominator within 64-bit integers"};
  Uint128 unit = 1;
  for (const RationalScore& score : scores) {
    if (score.den == 0) return Error{ErrorCode::kInvalidArgument, "a score has the denominator 0"};
    unit = unit / std::gcd(static_cast<std::uint64_t>(unit), score.den) * score.den;
    if (unit > std::numeric_limits<std::uint64_t>::max()) return too_large;
  }
  ScaledScores scaled{{}, static_cast<std::uint64_t>(unit)};
  scaled.values.reserve(scores.size());
  for (const RationalScore& score : scores) {
    const Uint128 factor = unit / score.den;
    const bool negative = score.num < 0;
    const Uint128 magnitude = negative ? Uint128{0} - static_cast<Uint128>(score.num) : static_cast<Uint128>(score.num);
    const Uint128 product = magnitude * factor;  // below 2^63·2^64
    if (product > static_cast<Uint128>(std::numeric_limits<std::int64_t>::max())) return too_large;
    const auto value = static_cast<std::int64_t>(product);
    scaled.values.push_back(negative ? -value : value);
  }
  return scaled;
}

}  // namespace hearsay::central
