// Takes pieces from the beginning of a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace hearsay {

constexpr bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

// Removes `prefix` from the beginning of the text. Returns false if the text does not begin with `prefix`.
constexpr bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

constexpr bool take_char(std::string_view& text, char c) { return take_prefix(text, std::string_view(&c, 1)); }

// Removes all digits from the beginning of the text, and returns them.
constexpr std::string_view take_digits(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_decimal_digit(text[size])) ++size;
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

}  // namespace hearsay
