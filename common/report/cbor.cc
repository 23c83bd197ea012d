#include "common/report/cbor.h"

namespace hearsay::cbor {
namespace {

constexpr std::uint8_t kFirstFollowed = 24;  // smaller values stand in the first byte itself
constexpr unsigned kMaxSizeLog2 = 3;

std::uint8_t first_byte(MajorType type, std::uint8_t low) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(type) << 5U | low);
}

// The smallest value that needs 2^size_log2 bytes behind the first.
std::uint64_t smallest(unsigned size_log2) {
  return size_log2 == 0 ? kFirstFollowed : std::uint64_t{1} << (4U << size_log2);
}

}  // namespace

void append_head(MajorType type, std::uint64_t value, std::vector<std::uint8_t>& out) {
  if (value < kFirstFollowed) {
    out.push_back(first_byte(type, static_cast<std::uint8_t>(value)));
    return;
  }
  unsigned size_log2 = 0;
  while (size_log2 < kMaxSizeLog2 && value >= smallest(size_log2 + 1)) ++size_log2;
  out.push_back(first_byte(type, static_cast<std::uint8_t>(kFirstFollowed + size_log2)));
  for (unsigned bits = 8U << size_log2; bits > 0; bits -= 8) {
    out.push_back(static_cast<std::uint8_t>(value >> (bits - 8)));
  }
}

std::optional<std::uint64_t> read_head(MajorType type, std::span<const std::uint8_t>& rest) {
  if (rest.empty() || rest[0] >> 5U != static_cast<unsigned>(type)) return std::nullopt;
  const unsigned low = rest[0] & 0x1fU;
  if (low < kFirstFollowed) {
    rest = rest.subspan(1);
    return low;
  }
  const unsigned size_log2 = low - kFirstFollowed;
  if (size_log2 > kMaxSizeLog2) return std::nullopt;
  const std::size_t size = std::size_t{1} << size_log2;
  if (rest.size() < 1 + size) return std::nullopt;
  std::uint64_t value = 0;
  for (const std::uint8_t byte : rest.subspan(1, size)) value = value << 8U | byte;
  if (value < smallest(size_log2)) return std::nullopt;
  rest = rest.subspan(1 + size);
  return value;
}

}  // namespace hearsay::cbor
