// Bit sources for tests.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "common/random/bit_source.h"

namespace hearsay::tests {

// Deterministic bits for statistical tests: the AES-256-CTR keystream under SHA-256(key). Sources with different keys
// are independent.
class CounterBitSource final : public BitSource {
 public:
  explicit CounterBitSource(std::string_view key);
  ~CounterBitSource() override;

  // Returns the number of bytes handed out so far.
  std::uint64_t consumed() const { return produced_ - static_cast<std::uint64_t>(end_ - next_); }

 private:
  void refill() override;

  void* cipher_;  // EVP_CIPHER_CTX
  std::array<std::uint8_t, 4096> buffer_{};
  std::uint64_t produced_ = 0;
};

// Returns the given bytes in order, and then throws EntropyError.
class ScriptedBitSource final : public BitSource {
 public:
  explicit ScriptedBitSource(std::vector<std::uint8_t> bytes);
  ScriptedBitSource(std::initializer_list<std::uint8_t> bytes) : ScriptedBitSource(std::vector<std::uint8_t>(bytes)) {}

  std::size_t remaining() const { return static_cast<std::size_t>(end_ - next_); }

 private:
  [[noreturn]] void refill() override { throw EntropyError(); }

  std::vector<std::uint8_t> bytes_;
};

// Always throws EntropyError, like a machine without entropy.
class FailingBitSource final : public BitSource {
  [[noreturn]] void refill() override { throw EntropyError(); }
};

}  // namespace hearsay::tests
