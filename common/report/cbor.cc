#include "common/report/cbor.h"

#include <array>

namespace hearsay::cbor {

std::size_t write_head(MajorType type, std::uint64_t value, std::uint8_t* out) {
  constexpr std::uint8_t kFirstFollowed = 24;
  const unsigned high = static_cast<unsigned>(type) << 5U;
  if (value < kFirstFollowed) {
    *out = static_cast<std::uint8_t>(high | value);
    return 1;
  }
  unsigned size_log2 = 0;
  while (size_log2 < 3 && value >> (8U << size_log2) != 0) ++size_log2;
  *out++ = static_cast<std::uint8_t>(high | (kFirstFollowed + size_log2));
  const unsigned size = 1U << size_log2;
  for (unsigned bits = 8 * size; bits > 0; bits -= 8) *out++ = static_cast<std::uint8_t>(value >> (bits - 8));
  return 1 + size;
}

void append_head(MajorType type, std::uint64_t value, std::vector<std::uint8_t>& out) {
  std::array<std::uint8_t, kMaxHeadBytes> head{};
  out.insert(out.end(), head.data(), head.data() + write_head(type, value, head.data()));
}

}  // namespace hearsay::cbor
