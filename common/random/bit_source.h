// Random bits: one interface, and one production implementation over OpenSSL.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>

namespace hearsay {

// Thrown if there is no entropy, so that no sampler can continue with predictable bits. The function that makes a
// report catches this exception and returns ErrorCode::kEntropyFailed.
class EntropyError : public std::exception {
 public:
  const char* what() const noexcept override { return "the device gets no random bits"; }
};

// A stream of independent uniform bits, read in order through a buffer. Thread-safety: one thread at a time.
class BitSource {
 public:
  virtual ~BitSource() = default;
  BitSource(const BitSource&) = delete;
  BitSource& operator=(const BitSource&) = delete;

  // Returns the next 8 bits. Throws EntropyError.
  std::uint8_t byte() {
    if (next_ == end_ || *fork_canary_ == 0) refill();
    const std::uint8_t value = *next_;
    // Used bits must not stay in memory.
    *next_++ = 0;
    return value;
  }

  // Returns the next `count` (0 to 64) bits, as an integer in [0, 2^count). Draws whole bytes, the least significant
  // byte first.
  std::uint64_t bits(unsigned count) {
    if (count == 0) return 0;
    const unsigned bytes = (count + 7) / 8;
    std::uint64_t value = 0;
    if (std::endian::native == std::endian::little && end_ - next_ >= 8 && *fork_canary_ != 0) [[likely]] {
      // Reads in one piece the bytes that the loop below reads one by one. The return statement masks surplus bits.
      std::memcpy(&value, next_, sizeof(value));
      wipe(next_, bytes);
      next_ += bytes;
    } else {
      for (unsigned drawn = 0; drawn < count; drawn += 8) value |= std::uint64_t{byte()} << drawn;
    }
    return value & (~std::uint64_t{0} >> (64 - count));
  }

  void fill(std::span<std::uint8_t> out) {
    for (auto& b : out) b = byte();
  }

 protected:
  BitSource() = default;
  // Sets next_ and end_ to a non-empty run of fresh bits and *fork_canary_ to non-zero, or throws EntropyError.
  virtual void refill() = 0;

  std::uint8_t* next_ = nullptr;
  std::uint8_t* end_ = nullptr;
  // If this byte is 0, the process is a child after fork(), and the buffer's bits belong to the parent.
  const std::uint8_t* fork_canary_ = &kNeverForked;

 private:
  // Zeroes `count` (1 to 8) bytes. Leaves the bytes behind them alone, since storing there would delay the next read.
  static void wipe(std::uint8_t* at, unsigned count) {
    constexpr std::uint32_t kZero = 0;
    if (count >= 4) {
      std::memcpy(at, &kZero, 4);
      std::memcpy(at + count - 4, &kZero, 4);
    } else if (count >= 2) {
      std::memcpy(at, &kZero, 2);
      std::memcpy(at + count - 2, &kZero, 2);
    } else {
      *at = 0;
    }
  }

  static constexpr std::uint8_t kNeverForked = 1;
};

// Returns the calling thread's source over OpenSSL's generator (RAND_bytes, checked). On fork() the kernel wipes the
// source's buffer. If the kernel cannot do this, the source keeps no buffer. So parent and child share no bits. The
// source cannot be seeded. Thread-safety: any thread.
BitSource& system_bit_source();

}  // namespace hearsay
