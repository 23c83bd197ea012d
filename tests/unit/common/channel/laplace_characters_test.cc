// Tests the channel `laplace` on the arrangement `characters`.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"
#include "tests/support/small_domains.h"

namespace hearsay {
namespace {

using tests::all_records;
using tests::schema_of;

Epsilon epsilon(const char* text) { return Epsilon::parse(text).value(); }

Arrangement characters(const Schema& schema, std::uint32_t order) {
  return Arrangement::create(CharactersSpec{order}, schema).value();
}

Schema booleans(std::size_t count) {
  std::vector<Attribute> attributes;
  for (std::size_t i = 0; i < count; ++i) attributes.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  return Schema::create(std::move(attributes)).value();
}

TEST_CASE("all characters have the scale Δ/ε") {
  for (const std::string shape : {"b", "c3", "b b b", "b c3 r4", "c5 r3"}) {
    const Schema schema = schema_of(shape);
    for (std::uint32_t order = 1; order <= schema.size(); ++order) {
      CAPTURE(shape);
      CAPTURE(order);
      const Arrangement arrangement = characters(schema, order);
      const Epsilon e = epsilon("2.5");
      const LaplaceChannel channel = LaplaceChannel::create({}, arrangement, e).value();
      REQUIRE(channel.coordinates() == arrangement.dimension());
      const Rational expected = Rational::create(arrangement.sensitivity().value() * e.den(), e.num()).value();
      for (std::size_t j = 0; j < channel.coordinates(); ++j) {
        CHECK(channel.scale(j) == expected);
        CHECK(channel.bound(j) == channel.bound(0));
      }
    }
  }
}

TEST_CASE("invalid Laplace noise over characters is refused") {
  const Arrangement arrangement = characters(schema_of("b c3 r4"), 2);
  const auto refused = [&](const LaplaceSpec& spec) {
    const auto channel = LaplaceChannel::create(spec, arrangement, epsilon("1"));
    REQUIRE_FALSE(channel);
    return channel.error().code;
  };
  CHECK(refused({.calibration = LaplaceCalibration::kTight, .shares = {1, 1, 1}}) == ErrorCode::kInvalidArgument);
  CHECK(refused({.calibration = LaplaceCalibration::kPaper, .shares = {}}) == ErrorCode::kInvalidArgument);
}

// k + k(k-1)/2 is 65,341 for k = 361 and 65,703 for k = 362. The sensitivity of the second schema would take 21^6
// cases, which another limit forbids. The error names the limit of coordinates, which is checked first.
TEST_CASE("at most 65,536 characters get noise") {
  CHECK(LaplaceChannel::create({}, characters(booleans(361), 2), epsilon("1")));
  std::vector<Attribute> attributes;
  for (std::uint32_t i = 0; i < 120; ++i) {
    attributes.push_back(Attribute::range("r" + std::to_string(i), 1, std::int64_t{2} << i % 6).value());
  }
  const Schema many_sizes = Schema::create(std::move(attributes)).value();
  for (const Schema& schema : {booleans(362), many_sizes}) {
    const auto channel = LaplaceChannel::create({}, characters(schema, 2), epsilon("1"));
    REQUIRE_FALSE(channel);
    CHECK(channel.error().code == ErrorCode::kLimitExceeded);
    CHECK(channel.error().message.find("65,536") != std::string::npos);
  }
}

TEST_CASE("a report is accepted, and each coordinate is within its bound") {
  tests::CounterBitSource bits("a record over characters");
  const Schema schema = schema_of("b c3 r5");
  const Arrangement arrangement = characters(schema, 3);
  const Channel channel = Channel::create(LaplaceSpec{}, arrangement, epsilon("1")).value();
  const auto& laplace = std::get<LaplaceChannel>(channel.kind());
  std::vector<std::int32_t> y(arrangement.dimension());
  for (const Record& record : all_records(schema)) {
    const std::vector<std::uint8_t> payload = channel.randomize(arrangement, record, bits);
    REQUIRE(channel.check(payload));
    REQUIRE(laplace.unpack(payload, y));
    for (std::size_t j = 0; j < y.size(); ++j) REQUIRE(std::abs(y[j]) <= laplace.bound(j));
  }
}

}  // namespace
}  // namespace hearsay
