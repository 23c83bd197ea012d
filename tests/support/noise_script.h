// Bytes that make the sampler of discrete Laplace noise draw a wanted value.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "common/base/int128.h"
#include "common/base/rational.h"

namespace hearsay::tests {

// Appends to `bytes` random bytes on which DiscreteLaplace(scale)::sample() returns y.
//
// Let the scale be s/r, and |y|·r = u + s·v with 0 <= u < s. The sampler reads u, then a success of exp(-u/s), then v
// successes and a failure of exp(-1), then a sign. Byte 255 fails a coin of probability below 1. (If the digits of the
// probability in base 256 begin with 255, the coin needs several such bytes.) Byte 0 passes a coin of probability at
// least 1/256.
//
// The caller must check that the sampler returns y.
inline void append_noise_script(const Rational& scale, std::int64_t y, std::vector<std::uint8_t>& bytes) {
  const std::uint64_t s = scale.num();
  const Uint128 x = Uint128{static_cast<std::uint64_t>(y < 0 ? -y : y)} * scale.den();
  const auto u = static_cast<std::uint64_t>(x % s);
  const auto v = static_cast<std::uint64_t>(x / s);
  for (unsigned drawn = 0; drawn < static_cast<unsigned>(std::bit_width(s - 1)); drawn += 8) {
    bytes.push_back(static_cast<std::uint8_t>(u >> drawn));
  }
  // exp(-u/s) succeeds if its first coin, of probability u/s, fails.
  Uint128 rest = u;
  while (rest != 0) {
    bytes.push_back(255);
    if (Uint128{255} * s > rest << 8U) break;
    rest = (rest << 8U) - Uint128{255} * s;
  }
  // exp(-1) succeeds if the coin 1/2 passes and the coin 1/3 fails. exp(-1) fails if the coin 1/2 fails.
  for (std::uint64_t i = 0; i < v; ++i) bytes.insert(bytes.end(), {0, 255});
  bytes.push_back(255);
  bytes.push_back(y < 0 ? 1 : 0);
}

}  // namespace hearsay::tests
