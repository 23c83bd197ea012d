// How the payloads of one `laplace` task are taken apart: what follows from its widths and bounds alone, worked out
// once, for the loops of laplace_kernels.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hearsay {

struct UnpackPlan {
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kLoadBytes = 16;
  // A code of at most 25 bits that starts in any bit of a byte lies within four bytes.
  static constexpr std::uint32_t kMaxVectorWidth = 25;

  struct Code {
    std::uint32_t width;  // bits, 1 to 32
    std::uint32_t limit;  // the largest valid code, 2·bound
  };

  // Groups of eight codes that lie alike, one group behind the other. Lane i of a group is found by loading 16 bytes
  // from `low` (lanes 0 to 3) and from `high` (4 to 7), picking four of them by `shuffle`, shifting and masking. Lanes
  // without a coordinate come out as 0, which is within any limit. No load leaves a payload of at least 16 bytes.
  struct alignas(32) Run {
    std::array<std::uint8_t, 32> shuffle;
    std::array<std::uint32_t, kLanes> shift;
    std::array<std::uint32_t, kLanes> mask;
    std::array<std::uint32_t, kLanes> limit;
    std::uint32_t low;
    std::uint32_t high;
    std::uint32_t advance;  // bytes from a group to the next
    std::uint32_t groups;
  };

  explicit UnpackPlan(std::vector<Code> all_codes);

  std::vector<Code> codes;  // by coordinate
  std::vector<Run> runs;    // empty unless all widths are at most kMaxVectorWidth
  std::size_t payload_size = 0;
  std::uint8_t padding = 0;  // the bits of the last byte that must be 0
  std::uint32_t bound = 0;   // the largest |y|
  std::size_t pitch = 0;     // coordinates rounded up to whole groups
};

}  // namespace hearsay
