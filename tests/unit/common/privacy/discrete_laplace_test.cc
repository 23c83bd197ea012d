#include "common/privacy/discrete_laplace.h"

#include <doctest/doctest.h>

#include <cmath>

#include "common/base/int128.h"
#include "common/privacy/coin.h"
#include "common/privacy/exact_samplers.h"
#include "tests/support/bit_sources.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

struct Scale {
  std::uint64_t num;
  std::uint64_t den;
  Rational rational() const { return Rational::create(num, den).value(); }
  double t() const { return static_cast<double>(num) / static_cast<double>(den); }
};

DiscreteLaplace with_scale(std::uint64_t num, std::uint64_t den) {
  return DiscreteLaplace::create(Rational::create(num, den).value()).value();
}

TEST_CASE("a scale is above 0 and at most 2^54") {
  CHECK(DiscreteLaplace::create(Rational()).error().code == ErrorCode::kInvalidArgument);
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 54U;
  for (const Scale scale : {Scale{kLargest + 1, 1}, Scale{kAll, 1}, Scale{kAll, 1023}}) {
    CHECK(DiscreteLaplace::create(scale.rational()).error().code == ErrorCode::kScaleTooLarge);
  }
  for (const Scale scale : {Scale{kLargest, 1}, Scale{1, kAll}, Scale{kAll, 1025}, Scale{kAll - 1, kAll}}) {
    const auto noise = DiscreteLaplace::create(scale.rational());
    REQUIRE(noise);
    CHECK(noise->scale() == scale.rational());
  }
}

TEST_CASE("the functions of the law agree with its definition") {
  for (const Scale scale : {Scale{1, 2}, Scale{1, 1}, Scale{3, 2}, Scale{7, 3}, Scale{32, 1}}) {
    CAPTURE(scale.num);
    CAPTURE(scale.den);
    const DiscreteLaplace noise = with_scale(scale.num, scale.den);
    const double t = scale.t();
    double total = 0;
    double second = 0;
    for (int y = -2000; y <= 2000; ++y) {
      const double p = std::exp(noise.log_probability(y));
      total += p;
      second += p * y * y;
      CHECK(noise.log_probability(y) - noise.log_probability(y + 3) ==
            doctest::Approx((std::abs(y + 3) - std::abs(y)) / t).epsilon(1e-12));
    }
    // The omitted terms are below exp(-2000/32). The sums have about 4000 roundings of 2^-53.
    CHECK(total == doctest::Approx(1).epsilon(1e-12));
    CHECK(noise.variance() == doctest::Approx(second).epsilon(1e-12));
  }
}

TEST_CASE("the variance of an extreme scale is the limit of the formula") {
  // The variance 1/(2 sinh²(1/(2t))) is 2t² - 1/6 + O(1/t²) for large t, and nearly 2·exp(-1/t) for small t.
  CHECK(with_scale(1U << 20U, 1).variance() == doctest::Approx(2 * std::ldexp(1, 40) - 1.0 / 6).epsilon(1e-12));
  CHECK(with_scale(1, 50).variance() == doctest::Approx(2 * std::exp(-50)).epsilon(1e-12).scale(0));
  CHECK(with_scale(1, kAll).variance() == 0);
}

double log2_tail(double t, double m) { return (std::log(2 / (1 + std::exp(-1 / t))) - m / t) / std::log(2); }

TEST_CASE("the tail bound holds and is nearly the least") {
  for (const Scale scale : {Scale{1, 2}, Scale{1, 1}, Scale{3, 2}, Scale{32, 1}, Scale{4096, 3}, Scale{1'000'003, 7}}) {
    const double t = scale.t();
    for (const unsigned l : {0U, 1U, 10U, 64U, 128U}) {
      CAPTURE(scale.num);
      CAPTURE(scale.den);
      CAPTURE(l);
      const auto m = static_cast<double>(with_scale(scale.num, scale.den).tail_bound(l));
      CHECK(m >= 1);
      CHECK(log2_tail(t, m) < -static_cast<double>(l));
      // At m - 1 the bound 2q^m on the tail is still above 2^-L. Rounding may make m larger by the factor 1 + 3e-8.
      CHECK(m - 1 < (l + 1) * t * std::log(2) * (1 + 3e-8));
    }
  }
  // 65·32·0.6931472 = 1441.7, rounded up.
  CHECK(with_scale(32, 1).tail_bound(64) == 1442);
}

TEST_CASE("the tail bound does not overflow") {
  const DiscreteLaplace widest = with_scale(std::uint64_t{1} << 54U, 1);
  CHECK(widest.tail_bound(64) < std::uint64_t{1} << 60U);
  CHECK(widest.tail_bound(4'294'967'294U) == kAll);
  CHECK(with_scale(1, kAll).tail_bound(4'294'967'294U) == 1);
}

TEST_CASE("a sample is the result of the algorithm on the scale's integers") {
  for (const Scale scale : {Scale{32, 1}, Scale{7, 3}, Scale{1, 2}}) {
    const DiscreteLaplace noise = with_scale(scale.num, scale.den);
    tests::CounterBitSource first("sample");
    tests::CounterBitSource second("sample");
    BitCoin coin(second);
    for (int i = 0; i < 1000; ++i) CHECK(noise.sample(first) == discrete_laplace(coin, scale.num, scale.den));
    CHECK(first.consumed() == second.consumed());
  }
}

TEST_CASE("without entropy no sample is drawn") {
  tests::FailingBitSource none;
  CHECK_THROWS_AS((void)with_scale(32, 1).sample(none), EntropyError);
}

// A coin that gives a stated V (the number of successes of Bernoulli(exp(-1))), a stated sign, and the largest U.
class ScriptedCoin {
 public:
  ScriptedCoin(std::uint64_t v, bool negative) : successes_(v + 1), negative_(negative) {}
  bool bit() const { return negative_; }
  std::uint64_t uniform_below(std::uint64_t n) const { return n - 1; }
  // Bernoulli(exp(-1)) succeeds if the coin 1/2 passes and the coin 1/3 fails. Bernoulli(exp(-1)) fails if the coin 1/2
  // fails.
  bool bernoulli(std::uint64_t num, std::uint64_t den) {
    if (den == 2 && num == 1) return successes_ > 0 && successes_-- > 0;
    return den != 3;
  }

 private:
  std::uint64_t successes_;
  bool negative_;
};

TEST_CASE("large samples are exact, and beyond 2^62 they become 2^62") {
  struct Case {
    std::uint64_t s;
    std::uint64_t r;
    std::uint64_t v;
  };
  const std::uint64_t top = std::uint64_t{1} << 63U;
  for (const Case& c :
       {Case{top, 1, 0}, Case{top, 2, 0}, Case{top, 4, 0}, Case{top, 1U << 20U, 1000}, Case{kAll, 1023, 300},
        Case{kAll, kAll, 7}, Case{kAll, 1, 1U << 20U}, Case{std::uint64_t{1} << 54U, 1, 254},
        Case{std::uint64_t{1} << 54U, 1, 255}, Case{std::uint64_t{1} << 54U, 1, 256}, Case{5, 7, 3}}) {
    CAPTURE(c.s);
    CAPTURE(c.r);
    CAPTURE(c.v);
    // The magnitude is floor((U + s·V)/r). The coin gives U = s - 1 and V = v, so it is floor(((v + 1)·s - 1)/r).
    const Uint128 magnitude = (Uint128{c.s} * (c.v + 1) - 1) / c.r;
    const std::int64_t expected =
        magnitude < Uint128{1} << 62U ? static_cast<std::int64_t>(magnitude) : std::int64_t{1} << 62U;
    ScriptedCoin plus(c.v, false);
    CHECK(discrete_laplace(plus, c.s, c.r) == expected);
    ScriptedCoin minus(c.v, true);
    CHECK(discrete_laplace(minus, c.s, c.r) == -expected);
  }
}

}  // namespace
}  // namespace hearsay
