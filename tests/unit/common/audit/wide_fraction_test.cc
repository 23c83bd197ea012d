#include "common/audit/wide_fraction.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "tests/support/bit_sources.h"

namespace hearsay {
namespace {

constexpr Uint128 kMost = ~Uint128{0};

TEST_CASE("compare() agrees with the products of numerators and denominators") {
  for (std::uint64_t a = 0; a < 12; ++a) {
    for (std::uint64_t b = 1; b < 12; ++b) {
      for (std::uint64_t c = 0; c < 12; ++c) {
        for (std::uint64_t d = 1; d < 12; ++d) {
          REQUIRE((compare({a, b}, {c, d}) == (a * d <=> c * b)));
        }
      }
    }
  }
}

TEST_CASE("comparisons of 128-bit fractions are exact") {
  // The difference between (n-1)/n and n/(n+1) is 1/(n(n+1)), here about 2^-256.
  CHECK((compare({kMost - 1, kMost}, {kMost - 2, kMost - 1}) > 0));
  CHECK((compare({kMost, kMost - 1}, {kMost - 1, kMost - 2}) < 0));
  CHECK((compare({kMost, kMost}, {1, 1}) == 0));
  CHECK((compare({kMost, 1}, {kMost - 1, 1}) > 0));
  CHECK((compare({0, kMost}, {0, 1}) == 0));

  tests::CounterBitSource bits("fractions");
  for (int i = 0; i < 20'000; ++i) {
    const Uint128 a = bits.bits(60);
    const Uint128 b = bits.bits(60) + 1;
    const Uint128 c = bits.bits(60);
    const Uint128 d = bits.bits(60) + 1;
    const Uint128 stretch = bits.bits(60) + 1;
    REQUIRE((compare({a * stretch, b * stretch}, {c, d}) == (a * d <=> c * b)));
    REQUIRE((compare({a * stretch, b * stretch}, {a, b}) == 0));
  }
}

TEST_CASE("checked arithmetic stops at 2^128") {
  CHECK(checked_sum(kMost, 0) == kMost);
  CHECK_FALSE(checked_sum(kMost, 1));
  CHECK(checked_product(kMost / 3, 3) == kMost / 3 * 3);
  CHECK_FALSE(checked_product(kMost / 3 + 1, 3));
  CHECK(checked_product(kMost, 0) == Uint128{0});
  CHECK(checked_product(0, kMost) == Uint128{0});
  CHECK_FALSE(checked_product(Uint128{1} << 64U, Uint128{1} << 64U));

  for (std::uint64_t a = 1; a < 40; ++a) {
    for (std::uint64_t b = 1; b < 40; ++b) CHECK(checked_lcm(a, b) == Uint128{std::lcm(a, b)});
  }
  CHECK(checked_lcm(kMost, kMost) == kMost);
  CHECK_FALSE(checked_lcm(kMost, kMost - 1));
}

TEST_CASE("narrow() returns the exact number or nothing") {
  const Uint128 large = Uint128{1} << 100U;
  CHECK(narrow({6 * large, 4 * large}) == Rational::create(3, 2).value());
  CHECK(narrow({0, large}) == Rational());
  CHECK_FALSE(narrow({large, 1}));
  CHECK_FALSE(narrow({large - 1, large}));
}

TEST_CASE("narrow_upwards() is never below the fraction, and less than 2^-31 above it") {
  tests::CounterBitSource bits("upwards");
  const long double resolution = std::ldexp(1.0L, -31);
  for (int i = 0; i < 20'000; ++i) {
    const Uint128 whole = bits.bits(10);
    const Uint128 den = (((Uint128{bits.bits(54)} << 64U) | bits.bits(64)) >> bits.bits(6)) + 1;
    const Uint128 rest = ((Uint128{bits.bits(64)} << 64U) | bits.bits(64)) % den;
    const WideFraction fraction{whole * den + rest, den};
    const std::optional<Rational> above = narrow_upwards(fraction);
    REQUIRE(above);
    REQUIRE((compare({above->num(), above->den()}, fraction) >= 0));
    const long double part = static_cast<long double>(rest) / static_cast<long double>(den);
    const auto gap = static_cast<long double>(above->num()) / static_cast<long double>(above->den()) -
                     static_cast<long double>(whole) - part;
    REQUIRE(gap < resolution);
  }
  // narrow_upwards() rounds twice: to 95 bits, and to the next multiple of 2^-32.
  CHECK(narrow_upwards({kMost - 1, kMost}) ==
        Rational::create((std::uint64_t{1} << 32U) + 1, std::uint64_t{1} << 32U).value());
  CHECK(narrow_upwards({(Uint128{1} << 95U) - 2, (Uint128{1} << 95U) - 1}) == Rational::create(1, 1).value());
  CHECK(narrow_upwards({1, kMost}) == Rational::create(1, std::uint64_t{1} << 32U).value());
  CHECK(narrow_upwards({0, kMost}) == Rational());
  CHECK_FALSE(narrow_upwards({Uint128{1} << 31U, 1}));
}

}  // namespace
}  // namespace hearsay
