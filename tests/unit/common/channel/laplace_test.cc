#include "common/channel/laplace.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "common/base/int128.h"
#include "tests/support/bit_sources.h"
#include "tests/support/noise_script.h"
#include "tests/support/small_domains.h"

namespace hearsay {
namespace {

using tests::schema_of;

Epsilon eps(const std::string& text) { return Epsilon::parse(text).value(); }
Rational ratio(std::uint64_t num, std::uint64_t den) { return Rational::create(num, den).value(); }

Arrangement literals_of(const std::string& shape) {
  return Arrangement::create(LiteralsSpec{}, schema_of(shape)).value();
}

Result<LaplaceChannel> tight(const std::string& shape, const std::string& epsilon,
                             std::vector<std::uint32_t> shares = {}) {
  return LaplaceChannel::create({LaplaceCalibration::kTight, std::move(shares)}, literals_of(shape), eps(epsilon));
}

Arrangement of_dimension(std::size_t d) { return literals_of("r" + std::to_string(d + 1)); }

TEST_CASE("tight: by default all coordinates have one scale") {
  for (const std::string shape : {"b", "b b b", "c4", "r7", "b c3 r4 b"}) {
    for (const std::string epsilon : {"0.25", "1", "4", "0.1", "2.5", "64", "0.123457"}) {
      CAPTURE(shape);
      CAPTURE(epsilon);
      const LaplaceChannel channel = tight(shape, epsilon).value();
      const Epsilon e = eps(epsilon);
      REQUIRE(channel.coordinates() == literals_of(shape).dimension());
      for (std::size_t j = 0; j < channel.coordinates(); ++j) {
        CHECK(channel.scale(j) == ratio(literals_of(shape).sensitivity().value() * e.den(), e.num()));
      }
    }
  }
}

TEST_CASE("tight: shares divide ε exactly") {
  const std::string shape = "b c3 r5";
  const Arrangement arrangement = literals_of(shape);
  const Literals& literals = std::get<Literals>(arrangement.kind());
  const std::vector<std::vector<std::uint32_t>> splits = {{1, 1, 1}, {1, 2, 3}, {97, 1, 13}, {1, 1U << 20U, 5}};
  for (const auto& shares : splits) {
    for (const std::string epsilon : {"1", "0.1", "2.5", "0.999983"}) {
      CAPTURE(epsilon);
      const LaplaceChannel channel = tight(shape, epsilon, shares).value();
      Rational spent;
      for (std::size_t b = 0; b < shares.size(); ++b) {
        const AttributeBlock& block = literals.blocks()[b];
        const Rational part = ratio(block.sensitivity, 1).divided_by(channel.scale(block.offset)).value();
        spent = spent.plus(part).value();
        const Epsilon e = eps(epsilon);
        const std::uint64_t total = std::uint64_t{shares[0]} + shares[1] + shares[2];
        CHECK(part == ratio(shares[b], total).times(ratio(e.num(), e.den())).value());
        for (std::size_t j = 0; j < block.size; ++j) {
          CHECK(channel.scale(block.offset + j) == channel.scale(block.offset));
        }
      }
      CHECK(spent == ratio(eps(epsilon).num(), eps(epsilon).den()));
    }
  }

  // The default shares are in proportion to the sensitivities 2, 4 and 8.
  const LaplaceChannel standard = tight(shape, "1").value();
  const LaplaceChannel proportional = tight(shape, "1", {1, 2, 4}).value();
  for (std::size_t j = 0; j < standard.coordinates(); ++j) CHECK(standard.scale(j) == proportional.scale(j));
}

TEST_CASE("invalid shares are refused") {
  const auto code_of = [](std::vector<std::uint32_t> shares) {
    const auto result = tight("b b", "1", std::move(shares));
    REQUIRE_FALSE(result);
    return result.error().code;
  };
  CHECK(code_of({1}) == ErrorCode::kInvalidArgument);
  CHECK(code_of({1, 1, 1}) == ErrorCode::kInvalidArgument);
  CHECK(code_of({0, 1}) == ErrorCode::kInvalidArgument);
  CHECK(code_of({1, LaplaceChannel::kMaxShare + 1}) == ErrorCode::kInvalidArgument);
  CHECK(tight("b b", "1", {1, LaplaceChannel::kMaxShare}));

  const auto paper = LaplaceChannel::create({LaplaceCalibration::kPaper, {1, 1}}, literals_of("b b"), eps("1"));
  REQUIRE_FALSE(paper);
  CHECK(paper.error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("paper: the scale is the printed scale, rounded up to a multiple of 2/(2^16 ε)") {
  for (const std::size_t d : {1U, 2U, 3U, 8U, 16U, 64U, 1000U, 65'535U, 65'536U}) {
    const Arrangement arrangement = d == 65'536 ? literals_of("b r65536") : of_dimension(d);
    REQUIRE(arrangement.dimension() == d);
    for (const std::string epsilon : {"0.25", "1", "4", "0.1", "2.5", "63.999999", "0.999983"}) {
      CAPTURE(d);
      CAPTURE(epsilon);
      const LaplaceSpec spec{LaplaceCalibration::kPaper, {}};
      const LaplaceChannel channel = LaplaceChannel::create(spec, arrangement, eps(epsilon)).value();
      REQUIRE(channel.coordinates() == d + 1);
      const Rational t = channel.scale(0);
      for (std::size_t j = 0; j <= d; ++j) REQUIRE(channel.scale(j) == t);

      // The scale t is (2/ε)·m/2^16, so m = t·ε·2^15. The condition (2/ε)²·2d(d+1) <= t² means 2^33·d(d+1) <= m².
      const Rational scaled = t.times(ratio(eps(epsilon).num(), eps(epsilon).den())).value();
      const Rational m = scaled.times(ratio(1U << 15U, 1)).value();
      REQUIRE(m.den() == 1);
      const Uint128 exact = (Uint128{d} * (d + 1)) << 33U;
      CHECK(Uint128{m.num()} * m.num() >= exact);
      CHECK(Uint128{m.num() - 1} * (m.num() - 1) < exact);
    }
  }
}

TEST_CASE("scales too large for a report are refused") {
  // 67 = 64 + 1 + 1 + 1: the number of coordinates, 1, has 1 bit; 1 bit is spare; the tail bound adds 1. ln 2 is
  // rounded up to 0.6931472.
  const std::uint64_t last = ((std::uint64_t{1} << 31U) - 2) * 10'000'000 / (67 * 6'931'472ULL);
  const LaplaceChannel channel = tight("b", "1").value();
  const auto largest = channel.with_scales(std::vector{ratio(last, 1)});
  REQUIRE(largest);
  CHECK(largest->bound(0) <= LaplaceChannel::kMaxBound);
  CHECK(largest->payload_size() == 4);
  const auto beyond = channel.with_scales(std::vector{ratio(last + 1, 1)});
  REQUIRE_FALSE(beyond);
  CHECK(beyond.error().code == ErrorCode::kScaleTooLarge);

  // The sampler could not use such a scale.
  const auto far_beyond = channel.with_scales(std::vector{ratio(~std::uint64_t{0}, 1)});
  REQUIRE_FALSE(far_beyond);
  CHECK(far_beyond.error().code == ErrorCode::kScaleTooLarge);

  const auto tiny_epsilon = tight("b b b b b b b b b b b b b b b b b b b b b b b b b", "0.000001");
  REQUIRE_FALSE(tiny_epsilon);
  CHECK(tiny_epsilon.error().code == ErrorCode::kScaleTooLarge);
}

TEST_CASE("a scale that does not fit into 64-bit integers is an overflow") {
  std::vector<Attribute> attributes = {Attribute::range("r", 1, 60'000).value()};
  for (int i = 1; i < 4096; ++i) attributes.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  const Arrangement arrangement =
      Arrangement::create(LiteralsSpec{}, Schema::create(std::move(attributes)).value()).value();
  LaplaceSpec spec{LaplaceCalibration::kTight, std::vector<std::uint32_t>(4096, LaplaceChannel::kMaxShare)};
  spec.shares[0] = 7;
  // The scale is 119,998·(4095·2^20 + 7)·10^6/(999,983·7). Its numerator is about 5e20, and neither 7 nor the prime
  // 999,983 divides the numerator.
  const auto result = LaplaceChannel::create(spec, arrangement, eps("0.999983"));
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kOverflow);
}

TEST_CASE("with_scales() refuses wrong arguments") {
  const LaplaceChannel channel = tight("b b", "1").value();
  for (const std::vector<Rational>& scales :
       {std::vector{ratio(1, 1)}, std::vector{ratio(1, 1), ratio(1, 1), ratio(1, 1)},
        std::vector{ratio(1, 1), Rational()}}) {
    const auto result = channel.with_scales(scales);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kInvalidArgument);
  }
  const LaplaceChannel other = channel.with_scales(std::vector{ratio(7, 2), ratio(1, 3)}).value();
  CHECK(other.scale(0) == ratio(7, 2));
  CHECK(other.scale(1) == ratio(1, 3));
  CHECK(other.calibration() == LaplaceCalibration::kTight);
}

TEST_CASE("honest noise does not reach the clamp, and the clamp is not farther than needed") {
  for (const std::size_t d : {1U, 2U, 3U, 64U, 1000U, 65'535U}) {
    for (const std::string epsilon : {"0.1", "1", "64"}) {
      CAPTURE(d);
      CAPTURE(epsilon);
      const LaplaceChannel channel = LaplaceChannel::create(LaplaceSpec{}, of_dimension(d), eps(epsilon)).value();
      // The condition is Pr[|Y| >= B] < 2·exp(-B/t) <= 2^-64/d. The bound B is slightly larger than needed. B has the
      // bits of d in place of log2(d), one spare bit, rounding up, and 1 for a = ±1.
      const double t = channel.scale(0).approximate();
      const auto bound = static_cast<double>(channel.bound(0));
      const auto coordinates = static_cast<double>(d);
      CHECK(bound >= t * std::log(2.0) * (65 + std::log2(coordinates)));
      CHECK(bound <= t * std::log(2.0) * 1.00001 * (67 + std::log2(coordinates)) + 2);
    }
  }
}

// The coefficients of a polynomial in q, by power.
using Polynomial = std::map<std::int64_t, std::int64_t>;

TEST_CASE("the law adds up to 1 for every q") {
  const LaplaceChannel channel =
      LaplaceChannel::create({LaplaceCalibration::kPaper, {}}, literals_of("b r4"), eps("3.7")).value();
  for (std::size_t j = 0; j < channel.coordinates(); ++j) {
    for (const int a : {-1, 0, 1}) {
      Polynomial sum;  // of (1+q)·Pr[y_j = y]
      for (std::int64_t y = -channel.bound(j); y <= channel.bound(j); ++y) {
        const LaplaceChannel::Atom atom = channel.atom(j, a, y);
        CHECK(atom.end == (y == channel.bound(j) || y == -channel.bound(j)));
        sum[atom.power] += 1;
        if (!atom.end) sum[atom.power + 1] -= 1;
      }
      std::erase_if(sum, [](const auto& term) { return term.second == 0; });
      CHECK(sum == Polynomial{{0, 1}, {1, 1}});
    }
  }
}

TEST_CASE("inside the ends the law is that of the noise, shifted") {
  const LaplaceChannel channel = tight("b b", "1.5").value();
  const DiscreteLaplace noise = DiscreteLaplace::create(channel.scale(1)).value();
  const double q = std::exp(-1 / channel.scale(1).approximate());
  for (const int a : {-1, 1}) {
    for (std::int64_t y = -channel.bound(1) + 1; y < channel.bound(1); ++y) {
      const LaplaceChannel::Atom atom = channel.atom(1, a, y);
      const double log_probability = std::log((1 - q) / (1 + q)) + static_cast<double>(atom.power) * std::log(q);
      CHECK(log_probability == doctest::Approx(noise.log_probability(y - a)).epsilon(1e-12));
    }
  }
}

TEST_CASE("randomize() gives the clamped sum of embedding and noise") {
  for (const std::string epsilon : {"0.5", "8", "64"}) {
    for (const auto calibration : {LaplaceCalibration::kTight, LaplaceCalibration::kPaper}) {
      CAPTURE(epsilon);
      const Schema schema = schema_of("b c3 r4");
      const Arrangement arrangement = Arrangement::create(LiteralsSpec{}, schema).value();
      const LaplaceChannel channel = LaplaceChannel::create({calibration, {}}, arrangement, eps(epsilon)).value();
      for (const Record& record : tests::all_records(schema)) {
        std::vector<std::int8_t> a(arrangement.dimension());
        arrangement.encode(record, a);
        tests::CounterBitSource bits("randomize");
        tests::CounterBitSource same_bits("randomize");
        std::vector<std::int32_t> y(channel.coordinates());
        channel.randomize(a, bits, y);
        for (std::size_t j = 0; j < y.size(); ++j) {
          const std::int64_t noise = DiscreteLaplace::create(channel.scale(j)).value().sample(same_bits);
          const std::int64_t sum = noise + (j < a.size() ? a[j] : 0);
          CHECK(y[j] == sum);  // honest noise does not reach the clamp
        }
        CHECK(bits.consumed() == same_bits.consumed());
      }
    }
  }
}

TEST_CASE("noise beyond the bound is clamped after the addition") {
  const LaplaceChannel channel = tight("b b", "8").value();
  const std::int64_t bound = channel.bound(0);
  for (const int a : {-1, 1}) {
    for (std::int64_t noise = bound - 3; noise <= bound + 3; ++noise) {
      for (const int direction : {-1, 1}) {
        std::vector<std::uint8_t> script;
        tests::append_noise_script(channel.scale(0), direction * noise, script);
        tests::append_noise_script(channel.scale(1), 0, script);
        tests::ScriptedBitSource bits(script);
        std::vector<std::int32_t> y(2);
        channel.randomize(std::vector<std::int8_t>{static_cast<std::int8_t>(a), 1}, bits, y);
        CHECK(bits.remaining() == 0);
        const std::int64_t sum = a + direction * noise;
        CHECK(y[0] == std::min(bound, std::max(-bound, sum)));
        CHECK(y[1] == 1);
      }
    }
  }
}

class WatchedBitSource final : public BitSource {
 public:
  WatchedBitSource(BitSource& source, std::function<void()> before_byte)
      : source_(source), before_byte_(std::move(before_byte)) {}

 private:
  void refill() override {
    before_byte_();
    byte_ = source_.byte();
    next_ = &byte_;
    end_ = next_ + 1;
  }

  BitSource& source_;
  std::function<void()> before_byte_;
  std::uint8_t byte_ = 0;
};

TEST_CASE("the embedding is not read before the last bit is drawn") {
  const LaplaceChannel channel = tight("b b b", "1").value();
  const std::vector<std::int8_t> embedding = {1, -1, 1};
  std::vector<std::int32_t> expected(3);
  tests::CounterBitSource first("order");
  channel.randomize(embedding, first, expected);

  std::vector<std::int8_t> late = {0, 0, 0};
  std::uint64_t drawn = 0;
  tests::CounterBitSource second("order");
  WatchedBitSource watched(second, [&] {
    if (++drawn == first.consumed()) late = embedding;
  });
  std::vector<std::int32_t> y(3);
  channel.randomize(late, watched, y);
  CHECK(drawn == first.consumed());
  CHECK(y == expected);
}

TEST_CASE("without entropy no report is made") {
  const LaplaceChannel channel = tight("b b", "1").value();
  tests::FailingBitSource bits;
  std::vector<std::int32_t> y(2);
  CHECK_THROWS_AS(channel.randomize(std::vector<std::int8_t>{1, -1}, bits, y), EntropyError);
  CHECK(y == std::vector<std::int32_t>{0, 0});
}

}  // namespace
}  // namespace hearsay
