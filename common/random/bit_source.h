// Where random bits come from: one interface, one production implementation over OpenSSL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

namespace hearsay {

// Thrown when no entropy can be had. Caught where a report would have been made (ErrorCode::kEntropyFailed), so that no
// sampler can go on with predictable bits.
class EntropyError : public std::exception {
 public:
  const char* what() const noexcept override { return "the operating system's random generator failed"; }
};

// A stream of independent uniform bits, read in order through a buffer. One thread at a time.
class BitSource {
 public:
  virtual ~BitSource() = default;
  BitSource(const BitSource&) = delete;
  BitSource& operator=(const BitSource&) = delete;

  // The next 8 bits. Throws EntropyError.
  std::uint8_t byte() {
    if (next_ == end_ || *fork_canary_ == 0) refill();
    const std::uint8_t value = *next_;
    *next_++ = 0;  // used bits do not linger in memory
    return value;
  }

  // The next `count` (0 to 64) bits, as an integer in [0, 2^count). Draws whole bytes, least significant first.
  std::uint64_t bits(unsigned count) {
    std::uint64_t value = 0;
    for (unsigned drawn = 0; drawn < count; drawn += 8) value |= std::uint64_t{byte()} << drawn;
    return count == 64 ? value : value & ((std::uint64_t{1} << count) - 1);
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
  // Zero after fork() in the child: what the buffer held belongs to the parent.
  const std::uint8_t* fork_canary_ = &kNeverForked;

 private:
  static constexpr std::uint8_t kNeverForked = 1;
};

// The calling thread's source over OpenSSL's generator (RAND_bytes, checked). Its buffer lies in memory that the kernel
// wipes on fork(), so parent and child never share a bit. It cannot be seeded. Safe from many threads.
BitSource& system_bit_source();

}  // namespace hearsay
