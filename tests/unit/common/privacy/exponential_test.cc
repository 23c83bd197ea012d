#include "common/privacy/exponential.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/privacy/randomized_response.h"

namespace hearsay {
namespace {

constexpr Uint128 kOne = Uint128{1} << ExpMinusEnclosure::kFractionBits;

Rational decimal(const std::string& text) { return Rational::parse_decimal(text).value(); }

// The two 64-bit halves of ⌊e^-x·2^126⌋, from Python's decimal module with 120 digits.
struct Known {
  std::string x;
  std::uint64_t high;
  std::uint64_t low;
};
const std::vector<Known> kKnown = {
    {"0.000001", 0x3ffffbce423b01b6, 0xda4a416b6913a5f5},  {"0.25", 0x31d7df3d590415d0, 0xd0572f2758da3cee},
    {"1", 0x178b56362cef37c6, 0xaeb7b1e0a4153e43},         {"2.5", 0x0540e170253d0929, 0xd7920d2af5c0a100},
    {"8", 0x00057f08410409eb, 0x2eff3519e03fb9c7},         {"20", 0x000000023690cabe, 0x6e4cdcc0968a2a02},
    {"63.999999", 0x0000000000000000, 0x000000032d3ac3af}, {"64", 0x0000000000000000, 0x000000032d3a8e64}};

TEST_CASE("the enclosure contains the known digits and is narrow") {
  for (const Known& known : kKnown) {
    CAPTURE(known.x);
    const Uint128 floor = (Uint128{known.high} << 64U) | known.low;
    const ExpMinusEnclosure q = enclose_exp_minus(decimal(known.x));
    CHECK(q.lower <= floor);
    CHECK(q.upper > floor);  // e^-x is no multiple of 2^-126
    CHECK(q.upper - q.lower <= 1024);
    CHECK(q.upper <= kOne);
  }
  const ExpMinusEnclosure one = enclose_exp_minus(Rational());
  CHECK(one.lower == kOne);
  CHECK(one.upper == kOne);
}

TEST_CASE("the enclosure for a sum meets the product of the enclosures for its terms") {
  // The product of a and b is in units of 2^-126, with an error of up to 2^-62. This check is coarse, but has many
  // more x than the known digits.
  for (std::uint64_t i = 1; i < 4000; i += 7) {
    const Rational x = Rational::create(i, 125).value();
    const Rational y = Rational::create(3 * i + 1, 391).value();
    const auto a = enclose_exp_minus(x);
    const auto b = enclose_exp_minus(y);
    const auto c = enclose_exp_minus(x.plus(y).value());
    CHECK(c.lower <= ((a.upper >> 63U) + 1) * ((b.upper >> 63U) + 1));
    CHECK(c.upper >= (a.lower >> 63U) * (b.lower >> 63U));
    CHECK(c.upper - c.lower <= 1024);
  }
}

TEST_CASE("fractions are compared with e^x") {
  using Order = std::partial_ordering;
  // 1264/465 < e < 193/71 are convergents of the continued fraction of e.
  CHECK(compare_with_exp(1264, 465, decimal("1")) == Order::less);
  CHECK(compare_with_exp(193, 71, decimal("1")) == Order::greater);
  CHECK(compare_with_exp(1, 1, Rational()) == Order::equivalent);
  CHECK(compare_with_exp(~Uint128{0}, 1, decimal("64")) == Order::greater);
  CHECK(compare_with_exp(~Uint128{0}, ~Uint128{0}, decimal("0.000001")) == Order::less);
  // The difference between ⌊2^126/e⌋/2^126 and 1/e is less than the width of the enclosure.
  const Uint128 near = (Uint128{kKnown[2].high} << 64U) | kKnown[2].low;
  CHECK(compare_with_exp(kOne, near, decimal("1")) == Order::unordered);
  CHECK(compare_with_exp(kOne, near + 1024, decimal("1")) == Order::less);
  CHECK(compare_with_exp(kOne, near - 1024, decimal("1")) == Order::greater);
}

// The values of ⌊2^64·(e^ε-1)/(e^ε+K-1)⌋, from Python's decimal module.
struct Gamma {
  std::string epsilon;
  std::uint32_t values;
  std::uint64_t gamma;
};
const std::vector<Gamma> kGammas = {
    {"0.000001", 2, 9223372036854U},      {"0.000001", 65536, 281475117U},   {"0.1", 4, 472589582371877093U},
    {"0.25", 2, 2293907998478185724U},    {"0.25", 256, 20443506627262165U}, {"1", 2, 8524556932045589908U},
    {"1", 4, 5543047035272007536U},       {"1", 65536, 483640657121842U},    {"4", 2, 17783170049656135321U},
    {"8", 2, 18434371837645951156U},      {"8", 65536, 802302470145157997U}, {"20", 256, 18446734340191884846U},
    {"44", 65536, 18446744073709457547U}, {"45", 2, 18446744073709551614U},  {"64", 2, 18446744073709551615U},
    {"64", 65536, 18446744073709551615U}};

TEST_CASE("gamma is the largest allowed probability, rounded down") {
  for (const Gamma& known : kGammas) {
    CAPTURE(known.epsilon);
    CAPTURE(known.values);
    CHECK(truth_in_2_to_64(Epsilon::parse(known.epsilon).value(), known.values) == known.gamma);
  }
}

TEST_CASE("the ratio of randomized response is certified to be at most e^epsilon, but not with gamma one unit larger") {
  for (const char* epsilon : {"0.000001", "0.013", "0.5", "1", "3.141592", "7", "12.5"}) {
    for (const std::uint32_t values : {2U, 3U, 4U, 1000U, 65536U}) {
      CAPTURE(epsilon);
      CAPTURE(values);
      const Uint128 gamma = truth_in_2_to_64(Epsilon::parse(epsilon).value(), values);
      const Uint128 all = Uint128{1} << 64U;
      // The ratio of the two probabilities is (K·γ + 1-γ)/(1-γ).
      const auto verdict = [&](Uint128 g) { return compare_with_exp(values * g + all - g, all - g, decimal(epsilon)); };
      CHECK(verdict(gamma) == std::partial_ordering::less);
      CHECK(verdict(gamma + 1) == std::partial_ordering::greater);
    }
  }
}

}  // namespace
}  // namespace hearsay
