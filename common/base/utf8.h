// Well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hearsay {

// Returns the code point at `offset` < text.size(), and moves `offset` behind this code point. If the text is
// ill-formed at `offset`, returns nothing and does not change `offset`.
std::optional<char32_t> next_code_point(std::string_view text, std::size_t& offset);

// Returns the offset of the first byte that is not part of a well-formed code point, if there is one.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// Returns the longest beginning of `text` that has at most `most` bytes and ends with a whole character. `text` is
// UTF-8.
std::string_view beginning_of(std::string_view text, std::size_t most);

// Returns the number of the line that holds the byte at `offset`. Lines count from 1; a line ends with LF, CRLF or CR.
std::size_t line_at(std::string_view text, std::size_t offset);

// Returns what makes `text` unusable, for a message: "line 3: not UTF-8". Recognises UTF-16 and zero bytes. Returns
// nothing if `text` is UTF-8 without zero bytes.
std::optional<std::string> find_text_fault(std::string_view text);

// The bytes that some editors put before UTF-8 to mark it.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Returns true for the control characters: C0, DEL and C1.
constexpr bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7f && c <= 0x9f); }

}  // namespace hearsay
