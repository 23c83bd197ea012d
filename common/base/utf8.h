// Well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace hearsay {

// The code point at `offset` < text.size(), moving `offset` behind it; nothing, and `offset` unmoved, where the text is
// ill-formed.
std::optional<char32_t> next_code_point(std::string_view text, std::size_t& offset);

// Offset of the first byte that is not part of a well-formed code point, if there is one.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// C0, DEL and C1.
constexpr bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7f && c <= 0x9f); }

}  // namespace hearsay
