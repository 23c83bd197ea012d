#include "aggregator/central/median/composition.h"

#include <cmath>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr std::uint64_t kGrid = 1024;
constexpr std::uint64_t kMostGain = 8;
constexpr long double kRelativeSlack = 1e-12L;
constexpr long double kAbsoluteSlack = 1e-16L;

long double wide(const Rational& x) { return static_cast<long double>(x.num()) / static_cast<long double>(x.den()); }

}  // namespace

// Term i is C(rounds,i)·p^{rounds-i}(1-p)^i·(1 - e^{α-(rounds-2i)ε}), p = e^ε/(1+e^ε).
double composed_tau(const Rational& epsilon, std::uint32_t rounds, const Rational& alpha) {
  const auto spent = epsilon.times(whole(rounds));
  if (spent && *spent <= alpha) return 0;
  const long double e = wide(epsilon);
  const long double a = wide(alpha);
  const long double log_one_plus = std::log1p(std::exp(-e)) + e;  // ln(1 + e^ε)
  long double sum = 0;
  long double log_choose = 0;
  for (std::uint32_t i = 0; i <= rounds; ++i) {
    const long double excess = (static_cast<long double>(rounds) - 2 * static_cast<long double>(i)) * e - a;
    if (excess <= 0) break;
    const auto left = static_cast<long double>(rounds - i);
    sum += std::exp(log_choose + left * e - static_cast<long double>(rounds) * log_one_plus) * -std::expm1(-excess);
    log_choose += std::log(left) - std::log(static_cast<long double>(i) + 1);
  }
  return static_cast<double>(sum * (1 + kRelativeSlack) + kAbsoluteSlack);
}

Result<Rational> epsilon_per_round(const Rational& alpha, double tau, std::uint32_t rounds) {
  if (rounds == 0 || alpha.num() == 0) {
    return Error{ErrorCode::kInvalidArgument, "there must be at least one round, and a privacy budget above 0"};
  }
  if (!(tau >= 0 && tau < 1)) return Error{ErrorCode::kInvalidArgument, "tau must lie in [0, 1)"};
  HEARSAY_TRY(const Rational step, alpha.divided_by(whole(kGrid * rounds)));
  const auto at = [&](std::uint64_t steps) { return step.times(whole(steps)); };
  std::uint64_t low = kGrid;  // α/rounds, which costs no τ
  std::uint64_t high = kMostGain * kGrid + 1;
  while (tau > 0 && high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    HEARSAY_TRY(const Rational epsilon, at(middle));
    (composed_tau(epsilon, rounds, alpha) <= tau ? low : high) = middle;
  }
  return at(low);
}

}  // namespace hearsay::central
