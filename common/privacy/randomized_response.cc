#include "common/privacy/randomized_response.h"

#include "common/base/rational.h"
#include "common/privacy/exponential.h"

namespace hearsay {

// With q = e^-ε the bound is (1-q)/(1+(K-1)q), which falls as q grows. So q is rounded up, to 96 bits. A q that is too
// large by δ lowers the bound by at most K·δ <= 2^-80. The denominator is at most 2^112, so nothing overflows.
std::uint64_t truth_in_2_to_64(const Epsilon& epsilon, std::uint32_t values) {
  constexpr unsigned kRatioBits = 96;
  constexpr unsigned kDropped = ExpMinusEnclosure::kFractionBits - kRatioBits;
  const Rational x = Rational::create(epsilon.num(), epsilon.den()).value();
  const Uint128 q = ((enclose_exp_minus(x).upper - 1) >> kDropped) + 1;
  const Uint128 one = Uint128{1} << kRatioBits;
  const Uint128 denominator = one + (values - 1) * q;
  Uint128 remainder = one - q;
  std::uint64_t quotient = 0;
  for (int i = 0; i < 64; ++i) {
    remainder <<= 1U;
    const bool reached = remainder >= denominator;
    if (reached) remainder -= denominator;
    quotient = (quotient << 1U) | (reached ? 1U : 0U);
  }
  return quotient;
}

}  // namespace hearsay
