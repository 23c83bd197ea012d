#include "common/base/utf8.h"

#include <algorithm>
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
    if (static_cast<std::uint8_t>(text[offset]) < 0x80) {  // nearly all text is ASCII
      ++offset;
    } else if (!next_code_point(text, offset)) {
      return offset;
    }
  }
  return std::nullopt;
}

std::string_view beginning_of(std::string_view text, std::size_t most) {
  std::size_t size = std::min(text.size(), most);
  while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U) --size;
  return text.substr(0, size);
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  std::size_t line = 1;
  for (std::size_t i = 0; i < std::min(offset, text.size()); ++i) {
    const bool carriage_return = text[i] == '\r' && !text.substr(i + 1).starts_with('\n');
    if (text[i] == '\n' || carriage_return) ++line;
  }
  return line;
}

std::optional<std::string> find_text_fault(std::string_view text) {
  // Without a byte order mark, one zero among the first two bytes is the sign of UTF-16 that begins with ASCII.
  const bool half_zero = text.size() >= 2 && (text[0] == 0) != (text[1] == 0);
  if (half_zero || text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return "line 1: not UTF-8 but UTF-16; save the text as UTF-8";
  }
  const auto invalid = find_invalid_utf8(text);
  const std::size_t zero = text.find('\0');
  if (zero < invalid.value_or(text.size())) {
    return "line " + std::to_string(line_at(text, zero)) + ": a zero byte, which text does not have";
  }
  if (invalid) return "line " + std::to_string(line_at(text, *invalid)) + ": not UTF-8";
  return std::nullopt;
}

}  // namespace hearsay
