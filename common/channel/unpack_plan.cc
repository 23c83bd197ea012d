#include "common/channel/unpack_plan.h"

#include <algorithm>

namespace hearsay {
namespace {

using Code = UnpackPlan::Code;
using Run = UnpackPlan::Run;

constexpr std::size_t kHalf = UnpackPlan::kLanes / 2;
constexpr std::uint8_t kNothing = 0x80;  // a shuffled byte that is 0

// The group of `codes` (at most eight) whose first bit is `bit`. Four codes of at most 25 bits from any bit of a byte
// on end within 16 bytes; where these would leave the payload they are loaded further in front, and picked further
// behind.
Run run_of_one(std::span<const Code> codes, std::size_t bit, std::size_t payload_size) {
  Run run{};
  run.shuffle.fill(kNothing);
  run.groups = 1;
  const std::size_t last_load =
      payload_size > UnpackPlan::kLoadBytes ? payload_size - UnpackPlan::kLoadBytes : std::size_t{0};
  std::size_t start = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (i % kHalf == 0) {
      start = std::min(bit / 8, last_load);
      (i == 0 ? run.low : run.high) = static_cast<std::uint32_t>(start);
    }
    const std::size_t end = (bit + codes[i].width + 7) / 8;
    for (std::size_t byte = bit / 8; byte < end; ++byte) {
      run.shuffle[4 * i + (byte - bit / 8)] = static_cast<std::uint8_t>(byte - start);
    }
    run.shift[i] = static_cast<std::uint32_t>(bit % 8);
    run.mask[i] = (std::uint32_t{1} << codes[i].width) - 1;
    run.limit[i] = codes[i].limit;
    bit += codes[i].width;
  }
  return run;
}

// Whether `next` continues `run`; the first continuation sets how far groups are apart.
bool continues(Run& run, const Run& next) {
  if (next.shuffle != run.shuffle || next.shift != run.shift || next.mask != run.mask || next.limit != run.limit) {
    return false;
  }
  const std::uint32_t distance = run.groups == 1 ? next.low - run.low : run.advance;
  if (next.low != run.low + distance * run.groups || next.high != run.high + distance * run.groups) return false;
  run.advance = distance;
  ++run.groups;
  return true;
}

}  // namespace

UnpackPlan::UnpackPlan(std::vector<Code> all_codes) : codes(std::move(all_codes)) {
  std::size_t bits = 0;
  std::uint32_t widest = 0;
  for (const Code& code : codes) {
    bits += code.width;
    widest = std::max(widest, code.width);
    bound = std::max(bound, code.limit / 2);
  }
  payload_size = (bits + 7) / 8;
  padding = bits % 8 == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(0xffU << (bits % 8));
  pitch = (codes.size() + kLanes - 1) / kLanes * kLanes;
  if (widest > kMaxVectorWidth) return;
  std::size_t bit = 0;
  for (std::size_t j = 0; j < codes.size(); j += kLanes) {
    const auto group = std::span(codes).subspan(j, std::min(kLanes, codes.size() - j));
    const Run one = run_of_one(group, bit, payload_size);
    if (runs.empty() || !continues(runs.back(), one)) runs.push_back(one);
    for (const Code& code : group) bit += code.width;
  }
}

}  // namespace hearsay
