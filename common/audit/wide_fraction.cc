#include "common/audit/wide_fraction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/privacy/exponential.h"

namespace hearsay {
namespace {

constexpr Uint128 kMax64 = std::numeric_limits<std::uint64_t>::max();

Uint128 gcd(Uint128 a, Uint128 b) {
  while (b != 0) {
    const Uint128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace

std::optional<Uint128> checked_sum(Uint128 a, Uint128 b) {
  const Uint128 sum = a + b;
  if (sum < a) return std::nullopt;
  return sum;
}

std::optional<Uint128> checked_product(Uint128 a, Uint128 b) {
  if (b != 0 && a > ~Uint128{0} / b) return std::nullopt;
  return a * b;
}

std::optional<Uint128> checked_lcm(Uint128 a, Uint128 b) { return checked_product(a / gcd(a, b), b); }

// Compares the continued fractions of a and b. If the whole parts agree, the remainders x/p of a and y/q of b decide.
// For x, y > 0, x/p > y/q if and only if q/y > p/x.
std::strong_ordering compare(WideFraction a, WideFraction b) {
  for (;;) {
    const Uint128 a_whole = a.num / a.den;
    const Uint128 b_whole = b.num / b.den;
    if (a_whole != b_whole) return a_whole <=> b_whole;
    const Uint128 a_rest = a.num % a.den;
    const Uint128 b_rest = b.num % b.den;
    if (a_rest == 0 || b_rest == 0) return a_rest <=> b_rest;
    const WideFraction a_inverse{a.den, a_rest};
    a = {b.den, b_rest};
    b = a_inverse;
  }
}

std::optional<Rational> narrow(const WideFraction& fraction) {
  const Uint128 common = gcd(fraction.num, fraction.den);
  const Uint128 num = fraction.num / common;
  const Uint128 den = fraction.den / common;
  if (num > kMax64 || den > kMax64) return std::nullopt;
  return Rational::create(static_cast<std::uint64_t>(num), static_cast<std::uint64_t>(den)).value();
}

// Let k be the least number with ⌊den/2^k⌋ < 2^95. If k > 0, the code enlarges rest/den to (⌊rest/2^k⌋ + 1)/⌊den/2^k⌋,
// so that 2^32 times the numerator fits 128 bits. As ⌊den/2^k⌋ then has exactly 95 bits, the enlargement adds less than
// 2^-92. Rounding up to a multiple of 2^-32 adds less than 2^-32.
std::optional<Rational> narrow_upwards(const WideFraction& fraction) {
  const Uint128 whole = fraction.num / fraction.den;
  if (whole >= Uint128{1} << 31U) return std::nullopt;
  Uint128 rest = fraction.num % fraction.den;
  Uint128 den = fraction.den;
  if (rest != 0 && den >> 95U != 0) {
    unsigned shift = 0;
    for (; den >> 95U != 0; den >>= 1U) ++shift;
    rest = (rest >> shift) + 1;
  }
  const Uint128 scaled = rest << 32U;
  const Uint128 up = scaled / den + (scaled % den != 0 ? 1 : 0);
  const Uint128 num = (whole << 32U) + up;
  return Rational::create(static_cast<std::uint64_t>(num), std::uint64_t{1} << 32U).value();
}

// Floating point only gives the starting point of the search.
Rational logarithm_upwards(const WideFraction& ratio) {
  constexpr std::uint64_t kUnits = std::uint64_t{1} << 32U;
  const double near = std::log(static_cast<double>(ratio.num) / static_cast<double>(ratio.den));
  auto units = static_cast<std::uint64_t>(std::max(0.0, std::floor(std::ldexp(near, 32)) - 1));
  for (;; ++units) {
    const Rational candidate = Rational::create(units, kUnits).value();
    if (compare_with_exp(ratio.num, ratio.den, candidate) <= 0) return candidate;
  }
}

}  // namespace hearsay
