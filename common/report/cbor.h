// Writes and reads the heads of CBOR data items (RFC 8949, section 3), only in their shortest form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hearsay::cbor {

enum class MajorType : std::uint8_t { kUnsigned = 0, kBytes = 2, kArray = 4 };

inline constexpr std::size_t kMaxHeadBytes = 9;

// Writes the head to `out`, which has room for kMaxHeadBytes. Returns the number of bytes.
std::size_t write_head(MajorType type, std::uint64_t value, std::uint8_t* out);
void append_head(MajorType type, std::uint64_t value, std::vector<std::uint8_t>& out);

// Reads a head of the given type from the front of `rest` and removes the head's bytes. Returns nothing, and does not
// change `rest`, if there are too few bytes, or the head has another type, an indefinite length, or more bytes than it
// needs. Inline for speed, since the aggregator reads several heads for each report.
inline std::optional<std::uint64_t> read_head(MajorType type, std::span<const std::uint8_t>& rest) {
  constexpr unsigned kFirstFollowed = 24;  // smaller values stand in the first byte itself
  if (rest.empty() || rest[0] >> 5U != static_cast<unsigned>(type)) return std::nullopt;
  const unsigned low = rest[0] & 0x1fU;
  if (low < kFirstFollowed) {
    rest = rest.subspan(1);
    return low;
  }
  const unsigned size_log2 = low - kFirstFollowed;
  if (size_log2 > 3) return std::nullopt;
  const std::size_t size = std::size_t{1} << size_log2;
  if (rest.size() < 1 + size) return std::nullopt;
  const std::uint8_t* at = rest.data() + 1;
  std::uint64_t value = at[0];
  if (size == 2) value = value << 8U | at[1];
  if (size >= 4) {
    value = std::uint64_t{at[0]} << 24U | std::uint64_t{at[1]} << 16U | std::uint64_t{at[2]} << 8U | at[3];
  }
  if (size == 8) {
    value =
        value << 32U | std::uint64_t{at[4]} << 24U | std::uint64_t{at[5]} << 16U | std::uint64_t{at[6]} << 8U | at[7];
  }
  // If half of the bytes could hold the value, the head is too long.
  const std::uint64_t smallest = size == 1 ? kFirstFollowed : std::uint64_t{1} << (4 * size);
  if (value < smallest) return std::nullopt;
  rest = rest.subspan(1 + size);
  return value;
}

}  // namespace hearsay::cbor
