// The system's random bits, counted.
#pragma once

#include <array>
#include <cstdint>

#include "common/random/bit_source.h"

namespace hearsay::bench {

// Costs one virtual call per 4 KiB, as the system's source does.
class CountingBitSource final : public BitSource {
 public:
  std::uint64_t consumed() const { return produced_ - static_cast<std::uint64_t>(end_ - next_); }  // bytes

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
