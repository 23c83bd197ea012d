// e^-x = (e^-y)^128 with y = x/128 <= 1/2. e^-y comes from Taylor's series in Horner's form. Every step is rounded down
// for the lower bound and up for the upper bound.

#include "common/privacy/exponential.h"

namespace hearsay {
namespace {

constexpr unsigned kBits = ExpMinusEnclosure::kFractionBits;
constexpr Uint128 kOne = Uint128{1} << kBits;
constexpr unsigned kHalvings = 7;
// The terms that are left out weigh at most y^28/28! <= 2^-28·2^-97.
constexpr unsigned kTerms = 28;
constexpr Uint128 kLow64 = ~std::uint64_t{0};

struct Wide {
  Uint128 high;
  Uint128 low;
};

Wide product(Uint128 a, Uint128 b) {
  const Uint128 low = (a & kLow64) * (b & kLow64);
  const Uint128 first = (a >> 64U) * (b & kLow64) + (low >> 64U);
  const Uint128 second = (a & kLow64) * (b >> 64U) + (first & kLow64);
  return {(a >> 64U) * (b >> 64U) + (first >> 64U) + (second >> 64U), (second << 64U) | (low & kLow64)};
}

// Returns a·b/2^kBits, rounded down, for a, b <= 2^kBits.
Uint128 multiply_down(Uint128 a, Uint128 b) {
  const Wide wide = product(a, b);
  return (wide.high << (128 - kBits)) | (wide.low >> kBits);
}
Uint128 multiply_up(Uint128 a, Uint128 b) {
  const Wide wide = product(a, b);
  const bool exact = (wide.low & (kOne - 1)) == 0;
  return multiply_down(a, b) + (exact ? 0 : 1);
}

Uint128 divide_up(Uint128 a, unsigned b) { return (a + (b - 1)) / b; }

// x·2^bits, rounded down. For x <= 64 and bits <= 121 the number fits 128 bits.
struct Scaled {
  Uint128 floor;
  bool exact;
};
Scaled scale(const Rational& x, unsigned bits) {
  Uint128 quotient = x.num() / x.den();
  Uint128 remainder = x.num() % x.den();
  for (unsigned i = 0; i < bits; ++i) {
    remainder <<= 1U;
    const bool one = remainder >= x.den();
    if (one) remainder -= x.den();
    quotient = (quotient << 1U) | (one ? 1U : 0U);
  }
  return {quotient, remainder == 0};
}

}  // namespace

// Let h_k = Σ_j (-y)^j·k!/(k+j)!, an alternating series of falling terms that lies in [0, 1]. Then h_{k-1} = 1 -
// (y/k)·h_k, and h_0 = e^-y. An error of h_k is multiplied by y/k <= 1/2, so the bounds on h_0 are a few units of
// 2^-kBits apart. Each of the 7 squarings doubles the relative error: in all at most 2^10 units.
ExpMinusEnclosure enclose_exp_minus(const Rational& x) {
  const Scaled scaled = scale(x, kBits - kHalvings);
  const Uint128 y_low = scaled.floor;
  const Uint128 y_high = scaled.floor + (scaled.exact ? 0 : 1);
  Uint128 low = 0;
  Uint128 high = kOne;
  for (unsigned k = kTerms; k > 0; --k) {
    const Uint128 next_low = kOne - divide_up(multiply_up(y_high, high), k);
    high = kOne - multiply_down(y_low, low) / k;
    low = next_low;
  }
  for (unsigned i = 0; i < kHalvings; ++i) {
    low = multiply_down(low, low);
    high = multiply_up(high, high);
  }
  return {low, high};
}

// num/den <= e^x iff num·e^-x <= den.
std::partial_ordering compare_with_exp(Uint128 num, Uint128 den, const Rational& x) {
  const ExpMinusEnclosure q = enclose_exp_minus(x);
  const Wide right{den >> (128 - kBits), den << kBits};
  const auto compare = [&](Uint128 bound) {
    const Wide left = product(num, bound);
    return left.high != right.high ? left.high <=> right.high : left.low <=> right.low;
  };
  const auto above = compare(q.upper);
  const auto below = compare(q.lower);
  if (above < 0) return std::partial_ordering::less;
  if (below > 0) return std::partial_ordering::greater;
  if (above == 0 && below == 0) return std::partial_ordering::equivalent;
  return std::partial_ordering::unordered;
}

}  // namespace hearsay
