// Channels `laplace` with many numbers and widths of coordinates, and payloads for these channels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/channel/laplace.h"
#include "tests/support/small_domains.h"

namespace hearsay::tests {

inline LaplaceChannel laplace_with_scales(const std::vector<Rational>& scales) {
  const auto schema = schema_of("r" + std::to_string(scales.size() + 1));
  const Arrangement arrangement = Arrangement::create(LiteralsSpec{}, schema).value();
  return LaplaceChannel::create(LaplaceSpec{}, arrangement, Epsilon::parse("1").value())
      .value()
      .with_scales(scales)
      .value();
}

inline Rational scale_of(std::uint64_t num, std::uint64_t den) { return Rational::create(num, den).value(); }

struct NamedLaplaceChannel {
  std::string name;
  LaplaceChannel channel;
};

// Returns channels with 1 to 1,025 coordinates. The coordinates' widths are equal, from 3 to 32 bits, or mixed.
inline std::vector<NamedLaplaceChannel> laplace_channels() {
  std::vector<NamedLaplaceChannel> all;
  for (const std::size_t d : {1U, 2U, 3U, 5U, 7U, 8U, 9U, 15U, 16U, 17U, 23U, 24U, 31U, 64U, 65U, 200U, 1025U}) {
    for (unsigned log2 = 0; log2 <= 24; log2 += d > 64 ? 6 : 1) {
      all.push_back({"d " + std::to_string(d) + ", scale 2^" + std::to_string(log2),
                     laplace_with_scales(std::vector<Rational>(d, scale_of(std::uint64_t{1} << log2, 1)))});
    }
    std::vector<Rational> mixed;
    std::vector<Rational> blocks;
    for (std::size_t j = 0; j < d; ++j) {
      mixed.push_back(scale_of(std::uint64_t{1} << (j * 7 % 25), 3));
      blocks.push_back(scale_of(std::uint64_t{1} << (j / 11 % 18), 1));
    }
    all.push_back({"d " + std::to_string(d) + ", mixed", laplace_with_scales(mixed)});
    all.push_back({"d " + std::to_string(d) + ", blocks", laplace_with_scales(blocks)});
  }
  return all;
}

// Returns a payload. Either every coordinate is uniform within its bounds, or every coordinate is at one end of its
// bounds.
inline std::vector<std::uint8_t> laplace_payload(const LaplaceChannel& channel, BitSource& bits) {
  std::vector<std::int32_t> y(channel.coordinates());
  const std::uint64_t shape = bits.bits(2);
  for (std::size_t j = 0; j < y.size(); ++j) {
    const std::int64_t bound = channel.bound(j);
    const auto span = static_cast<std::uint64_t>(2 * bound + 1);
    std::int64_t value = static_cast<std::int64_t>(bits.bits(40) % span) - bound;
    if (shape == 1) value = bits.bits(1) == 0 ? bound : -bound;
    if (shape == 2) value = -bound;
    if (shape == 3) value = bound;
    y[j] = static_cast<std::int32_t>(value);
  }
  std::vector<std::uint8_t> payload(channel.payload_size());
  channel.pack(y, payload);
  return payload;
}

}  // namespace hearsay::tests
