#include "common/base/utf8.h"

#include <cstdint>

namespace hearsay {

std::optional<char32_t> next_code_point(std::string_view text, std::size_t& offset) {
  const auto first = static_cast<std::uint8_t>(text[offset]);
  if (first < 0x80) {
    ++offset;
    return first;
  }
  // Length of the sequence, the first byte's payload, and the smallest code point that needs the length.
  std::size_t length = 0;
  char32_t point = 0;
  char32_t smallest = 0;
  if ((first & 0xe0U) == 0xc0U) {
    length = 2, point = first & 0x1fU, smallest = 0x80;
  } else if ((first & 0xf0U) == 0xe0U) {
    length = 3, point = first & 0x0fU, smallest = 0x800;
  } else if ((first & 0xf8U) == 0xf0U) {
    length = 4, point = first & 0x07U, smallest = 0x10000;
  } else {
    return std::nullopt;
  }
  if (text.size() - offset < length) return std::nullopt;
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[offset + i]);
    if ((byte & 0xc0U) != 0x80U) return std::nullopt;
    point = point << 6U | (byte & 0x3fU);
  }
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  if (point < smallest || point > 0x10ffff || surrogate) return std::nullopt;
  offset += length;
  return point;
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (!next_code_point(text, offset)) return offset;
  }
  return std::nullopt;
}

}  // namespace hearsay
