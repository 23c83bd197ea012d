// Packs and reads the payload that format.md describes, steps 1 to 5.

#include "common/channel/laplace.h"

namespace hearsay {
namespace {

std::uint32_t zigzag(std::int32_t y) {
  const auto bits = static_cast<std::uint32_t>(y);
  return (bits << 1U) ^ (y < 0 ? ~std::uint32_t{0} : 0);
}

std::int32_t from_zigzag(std::uint32_t code) {
  return static_cast<std::int32_t>((code >> 1U) ^ (std::uint32_t{0} - (code & 1U)));
}

Error out_of_bounds(const char* what) { return {ErrorCode::kReportOutOfBounds, what}; }

}  // namespace

// At most 7 bits wait when a code of at most 32 bits comes in, so `waiting` needs no more than 64 bits.
void LaplaceChannel::pack(std::span<const std::int32_t> y, std::span<std::uint8_t> payload) const {
  std::uint64_t waiting = 0;
  unsigned count = 0;
  std::size_t next = 0;
  for (std::size_t j = 0; j < coordinates_.size(); ++j) {
    waiting |= std::uint64_t{zigzag(y[j])} << count;
    count += coordinates_[j].width;
    for (; count >= 8; count -= 8, waiting >>= 8U) payload[next++] = static_cast<std::uint8_t>(waiting);
  }
  if (count > 0) payload[next] = static_cast<std::uint8_t>(waiting);
}

// Before the last byte of a code comes in, fewer than 32 bits wait, so `waiting` needs no more than 64 bits.
template <class Take>
Result<void> LaplaceChannel::for_each_code(std::span<const std::uint8_t> payload, const Take& take) const {
  if (payload.size() != payload_size_) {
    return Error{ErrorCode::kReportWrongSize, "the payload has another size than the payloads of this task"};
  }
  std::uint64_t waiting = 0;
  unsigned count = 0;
  std::size_t next = 0;
  for (std::size_t j = 0; j < coordinates_.size(); ++j) {
    const Coordinate& coordinate = coordinates_[j];
    for (; count < coordinate.width; count += 8) waiting |= std::uint64_t{payload[next++]} << count;
    const std::uint64_t code = waiting & ((std::uint64_t{1} << coordinate.width) - 1);
    if (code > 2 * static_cast<std::uint64_t>(coordinate.bound)) {
      return out_of_bounds("a coordinate of the payload is beyond its bound");
    }
    take(j, static_cast<std::uint32_t>(code));
    waiting >>= coordinate.width;
    count -= coordinate.width;
  }
  if (waiting != 0) return out_of_bounds("a padding bit of the payload is set");
  return {};
}

Result<void> LaplaceChannel::unpack(std::span<const std::uint8_t> payload, std::span<std::int32_t> y) const {
  return for_each_code(payload, [y](std::size_t j, std::uint32_t code) { y[j] = from_zigzag(code); });
}

Result<void> LaplaceChannel::check(std::span<const std::uint8_t> payload) const {
  return for_each_code(payload, [](std::size_t, std::uint32_t) {});
}

}  // namespace hearsay
