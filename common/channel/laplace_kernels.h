// The loops behind adding many `laplace` payloads at once, one set for each kind of processor. All sets are exact on
// integers and agree with each other bit by bit; tests compare them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/channel/unpack_plan.h"

namespace hearsay {

// The codes' zigzag: 0, -1, 1, -2, 2, ….
inline std::int32_t from_zigzag(std::uint32_t code) {
  return static_cast<std::int32_t>((code >> 1U) ^ (std::uint32_t{0} - (code & 1U)));
}

// `count` rows of `columns` integers, `pitch` apart.
struct Rows {
  const std::int32_t* first;
  std::size_t count;
  std::size_t pitch;
  std::size_t columns;
};

struct LaplaceKernels {
  const char* name;
  // Whether `payload`, of plan.payload_size bytes, has only codes within their limits; padding is not looked at. If so,
  // unpack() has written its coordinates to `out`, plan.pitch elements, with zeros behind the last coordinate.
  bool (*check)(const UnpackPlan& plan, const std::uint8_t* payload);
  bool (*unpack)(const UnpackPlan& plan, const std::uint8_t* payload, std::int32_t* out);
  // Adds every column's sum to `sums` and its sum of squares to `squares`. All |y| are at most `bound`, and the rows
  // few enough: count·bound < 2^31, and sums and squares of all rows since they were 0 fit 64 bits.
  void (*add)(const Rows& rows, std::uint32_t bound, std::int64_t* sums, std::uint64_t* squares);
};

// Those that this processor runs, the plain one first and the one to use last. Thread-safe.
std::span<const LaplaceKernels> laplace_kernels();

}  // namespace hearsay
