#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "common/channel/laplace.h"
#include "tests/support/bit_sources.h"
#include "tests/support/small_domains.h"

namespace hearsay {
namespace {

LaplaceChannel channel_of(const std::string& shape, const std::string& epsilon) {
  const Arrangement arrangement = Arrangement::create(LiteralsSpec{}, tests::schema_of(shape)).value();
  return LaplaceChannel::create(LaplaceSpec{}, arrangement, Epsilon::parse(epsilon).value()).value();
}

// Returns a channel with scales of many sizes, so that codes of many widths occur at many bit positions.
LaplaceChannel mixed_channel(std::size_t d) {
  const LaplaceChannel base = channel_of("r" + std::to_string(d + 1), "1");
  std::vector<Rational> scales;
  for (std::size_t j = 0; j < d; ++j) scales.push_back(Rational::create(std::uint64_t{1} << (j * 7 % 25), 3).value());
  return base.with_scales(scales).value();
}

// Packs the numbers bit by bit, as format.md says.
std::vector<std::uint8_t> reference_pack(const LaplaceChannel& channel, const std::vector<std::int32_t>& y) {
  std::vector<bool> stream;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const std::int64_t value = y[j];
    const auto code = static_cast<std::uint64_t>(value >= 0 ? 2 * value : -2 * value - 1);
    for (std::uint64_t rest = 2 * static_cast<std::uint64_t>(channel.bound(j)), i = 0; rest > 0; rest /= 2, ++i) {
      stream.push_back((code >> i & 1U) != 0);
    }
  }
  std::vector<std::uint8_t> bytes((stream.size() + 7) / 8, 0);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (stream[i]) bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | 1U << (i % 8));
  }
  return bytes;
}

std::vector<std::uint8_t> packed(const LaplaceChannel& channel, const std::vector<std::int32_t>& y) {
  std::vector<std::uint8_t> payload(channel.payload_size(), 0xAA);
  channel.pack(y, payload);
  return payload;
}

TEST_CASE("the example of the format gives the right payload") {
  const LaplaceChannel channel = channel_of("b b", "64");
  REQUIRE(channel.bound(0) == 4);
  CHECK(packed(channel, {-2, 3}) == std::vector<std::uint8_t>{0x63});
}

TEST_CASE("pack follows the format and unpack inverts it") {
  tests::CounterBitSource bits("payloads");
  for (const std::size_t d : {1U, 2U, 3U, 7U, 25U, 64U, 333U, 65'535U}) {
    CAPTURE(d);
    const LaplaceChannel channel = mixed_channel(d);
    for (int round = 0; round < (d > 1000 ? 2 : 50); ++round) {
      std::vector<std::int32_t> y(d);
      for (std::size_t j = 0; j < d; ++j) {
        const std::int64_t bound = channel.bound(j);
        const auto span = static_cast<std::uint64_t>(2 * bound + 1);
        const std::int64_t choices[] = {bound, -bound, 0, static_cast<std::int64_t>(bits.bits(62) % span) - bound};
        y[j] = static_cast<std::int32_t>(choices[bits.bits(2)]);
      }
      const std::vector<std::uint8_t> payload = packed(channel, y);
      REQUIRE(payload == reference_pack(channel, y));
      std::vector<std::int32_t> back(d);
      REQUIRE(channel.unpack(payload, back));
      REQUIRE(back == y);
    }
  }
}

TEST_CASE("the largest bound is packed and unpacked") {
  const LaplaceChannel base = channel_of("b", "1");
  const LaplaceChannel channel = base.with_scales(std::vector{Rational::create(46'000'000, 1).value()}).value();
  REQUIRE(channel.bound(0) > LaplaceChannel::kMaxBound - (1 << 24));
  for (const std::int64_t y : {channel.bound(0), -channel.bound(0), std::int64_t{0}, std::int64_t{-1}}) {
    const std::vector<std::int32_t> values = {static_cast<std::int32_t>(y)};
    std::vector<std::int32_t> back(1);
    REQUIRE(channel.unpack(packed(channel, values), back));
    CHECK(back == values);
  }
}

TEST_CASE("unpack accepts the bytes that pack writes, and nothing else") {
  // Tries all 2^16 payloads of 3 coordinates with 4 bits each and 4 padding bits.
  const LaplaceChannel channel = channel_of("b b b", "64");
  REQUIRE(channel.payload_size() == 2);
  const std::int64_t values = 2 * channel.bound(0) + 1;
  REQUIRE(values == 13);
  std::int64_t accepted = 0;
  for (unsigned number = 0; number < 65'536; ++number) {
    const std::vector<std::uint8_t> payload = {static_cast<std::uint8_t>(number),
                                               static_cast<std::uint8_t>(number >> 8U)};
    std::vector<std::int32_t> y(3);
    const auto result = channel.unpack(payload, y);
    if (!result) {
      REQUIRE(result.error().code == ErrorCode::kReportOutOfBounds);
      continue;
    }
    ++accepted;
    for (std::size_t j = 0; j < 3; ++j) REQUIRE(std::abs(std::int64_t{y[j]}) <= channel.bound(j));
    REQUIRE(packed(channel, y) == payload);
  }
  CHECK(accepted == values * values * values);
}

TEST_CASE("a payload of another size is refused") {
  const LaplaceChannel channel = channel_of("b c3 r4", "1");
  for (const std::size_t size : {std::size_t{0}, channel.payload_size() - 1, channel.payload_size() + 1}) {
    std::vector<std::int32_t> y(channel.coordinates());
    const auto result = channel.unpack(std::vector<std::uint8_t>(size, 0), y);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kReportWrongSize);
  }
}

}  // namespace
}  // namespace hearsay
