// SHA-256 behind an interface, for example for task ids and token hashes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace hearsay {

using Digest = std::array<std::uint8_t, 32>;

class Hash {
 public:
  virtual ~Hash() = default;
  virtual Digest digest(std::span<const std::uint8_t> bytes) const = 0;
};

// SHA-256 by OpenSSL. Thread-safe.
const Hash& sha256();

}  // namespace hearsay
