// Compares the reader of `laplace` payloads with a reader that goes bit by bit. The channels have codes of 3 to 32
// bits, and payloads with and without padding bits.

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "common/channel/laplace.h"
#include "tests/support/bit_sources.h"
#include "tests/support/laplace_channels.h"

namespace hearsay {
namespace {

using tests::laplace_channels;
using tests::laplace_payload;
using tests::NamedLaplaceChannel;
using Payload = std::vector<std::uint8_t>;

// Returns the width of coordinate j, as format.md defines it.
std::uint32_t width_of(const LaplaceChannel& channel, std::size_t j) {
  std::uint32_t width = 0;
  for (std::uint64_t largest = 2 * static_cast<std::uint64_t>(channel.bound(j)); largest != 0; largest /= 2) ++width;
  return width;
}

bool bit_of(const Payload& payload, std::size_t bit) { return (payload[bit / 8] >> (bit % 8) & 1U) != 0; }

// Returns nothing if a code is beyond its bound or a padding bit is set.
std::optional<std::vector<std::int32_t>> read_bit_by_bit(const LaplaceChannel& channel, const Payload& payload) {
  std::vector<std::int32_t> y;
  std::size_t bit = 0;
  for (std::size_t j = 0; j < channel.coordinates(); ++j) {
    std::int64_t code = 0;
    for (std::uint32_t i = 0; i < width_of(channel, j); ++i, ++bit) {
      if (bit_of(payload, bit)) code += std::int64_t{1} << i;
    }
    if (code > 2 * channel.bound(j)) return std::nullopt;
    y.push_back(static_cast<std::int32_t>(code % 2 == 0 ? code / 2 : -(code + 1) / 2));
  }
  for (; bit < 8 * payload.size(); ++bit) {
    if (bit_of(payload, bit)) return std::nullopt;
  }
  return y;
}

// The payload has its exact size on the heap, so that AddressSanitizer notices reads beyond its end. Most random
// payloads have a code beyond its bound. A valid payload with one flipped bit may have such a code.
TEST_CASE("payloads are accepted and unpacked as the format says") {
  tests::CounterBitSource bits("codes");
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const NamedLaplaceChannel& named : laplace_channels()) {
    CAPTURE(named.name);
    const LaplaceChannel& channel = named.channel;
    for (int i = 0; i < 12; ++i) {
      Payload payload = laplace_payload(channel, bits);
      if (i % 3 == 1) payload[bits.bits(20) % payload.size()] ^= static_cast<std::uint8_t>(1U << bits.bits(3));
      if (i % 3 == 2) bits.fill(payload);
      const auto expected = read_bit_by_bit(channel, payload);
      std::vector<std::int32_t> y(channel.coordinates());
      const auto unpacked = channel.unpack(payload, y);
      const auto checked = channel.check(payload);
      ++(expected ? accepted : refused);
      REQUIRE(static_cast<bool>(unpacked) == expected.has_value());
      REQUIRE(static_cast<bool>(checked) == expected.has_value());
      if (expected) {
        CHECK(y == *expected);
      } else {
        CHECK(checked.error().code == ErrorCode::kReportOutOfBounds);
        CHECK(checked.error().message == unpacked.error().message);
      }
    }
  }
  CHECK(accepted > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("the first invalid code is refused at every coordinate, and so is every padding bit") {
  for (const NamedLaplaceChannel& named : laplace_channels()) {
    CAPTURE(named.name);
    const LaplaceChannel& channel = named.channel;
    const Payload valid(channel.payload_size(), 0);
    std::size_t bit = 0;
    bool all_good = true;
    for (std::size_t j = 0; j < channel.coordinates(); ++j) {
      const std::uint32_t width = width_of(channel, j);
      for (const std::uint64_t above : {0U, 1U}) {
        const std::uint64_t value = 2 * static_cast<std::uint64_t>(channel.bound(j)) + above;
        if (value >> width != 0) continue;
        Payload payload = valid;
        for (std::uint32_t i = 0; i < width; ++i) {
          if ((value >> i & 1U) != 0) payload[(bit + i) / 8] |= static_cast<std::uint8_t>(1U << ((bit + i) % 8));
        }
        all_good &= static_cast<bool>(channel.check(payload)) == (above == 0);
      }
      bit += width;
    }
    CHECK(all_good);
    for (; bit < 8 * channel.payload_size(); ++bit) {
      Payload payload = valid;
      payload.back() = static_cast<std::uint8_t>(1U << (bit % 8));
      CHECK_FALSE(channel.check(payload));
    }
  }
}

}  // namespace
}  // namespace hearsay
