// Counts latencies in buckets whose relative width is 1/32. The counts take 15 KiB for any number of latencies.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace hearsay::load {

class Histogram {
 public:
  void record(std::uint64_t nanoseconds) {
    ++buckets_[index_of(nanoseconds)];
    ++count_;
    largest_ = std::max(largest_, nanoseconds);
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t largest() const { return largest_; }

  // Returns the quantile at `share` (0 to 1): a value that this share of the recorded values, rounded down to a number
  // of values, does not exceed. The result exceeds the true quantile by at most 1/32 of the quantile. Returns 0 if
  // nothing was recorded.
  std::uint64_t quantile(double share) const {
    if (count_ == 0) return 0;
    const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen >= wanted) return std::min(end_of(i), largest_);
    }
    return largest_;
  }

 private:
  static constexpr unsigned kSubBits = 5;
  static constexpr std::size_t kSub = std::size_t{1} << kSubBits;

  // Each value below 32 has a bucket of its own. For a larger value, the five bits after its leading one choose one of
  // the 32 buckets of its power of two.
  static std::size_t index_of(std::uint64_t value) {
    if (value < kSub) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - kSubBits - 1;
    return (shift << kSubBits) + (value >> shift);
  }
  static std::uint64_t end_of(std::size_t index) {
    if (index < 2 * kSub) return index;
    const std::size_t shift = (index >> kSubBits) - 1;
    return ((kSub + (index & (kSub - 1)) + 1) << shift) - 1;
  }

  std::array<std::uint64_t, (64 - kSubBits + 1) << kSubBits> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t largest_ = 0;
};

}  // namespace hearsay::load
