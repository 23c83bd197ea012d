// Gives the system's random bits, and counts the bytes.
#pragma once

#include <array>
#include <cstdint>

#include "common/random/bit_source.h"

namespace hearsay::bench {

// One virtual call fetches 4 KiB, as in the system's bit source.
class CountingBitSource final : public BitSource {
 public:
  std::uint64_t consumed() const { return produced_ - static_cast<std::uint64_t>(end_ - next_); }  // bytes handed out

 private:
  void refill() override {
    system_bit_source().fill(buffer_);
    next_ = buffer_.data();
    end_ = next_ + buffer_.size();
    produced_ += buffer_.size();
  }

  std::array<std::uint8_t, 4096> buffer_{};
  std::uint64_t produced_ = 0;
};

}  // namespace hearsay::bench
