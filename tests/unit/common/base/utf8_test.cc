#include "common/base/utf8.h"

#include <doctest/doctest.h>

#include <string>

namespace hearsay {
namespace {

std::string encode(char32_t point) {
  const auto byte = [](char32_t value) { return static_cast<char>(value); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xc0 | point >> 6U), byte(0x80 | (point & 0x3fU))};
  if (point < 0x10000) {
    return {byte(0xe0 | point >> 12U), byte(0x80 | (point >> 6U & 0x3fU)), byte(0x80 | (point & 0x3fU))};
  }
  return {byte(0xf0 | point >> 18U), byte(0x80 | (point >> 12U & 0x3fU)), byte(0x80 | (point >> 6U & 0x3fU)),
          byte(0x80 | (point & 0x3fU))};
}

TEST_CASE("every code point except the surrogates is decoded, and nothing above U+10FFFF") {
  std::size_t wrong = 0;
  for (char32_t point = 0; point < 0x120000; ++point) {
    const std::string text = encode(point);
    std::size_t offset = 0;
    const auto decoded = next_code_point(text, offset);
    const bool legal = point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
    if (decoded.has_value() != legal) ++wrong;
    if (legal && (*decoded != point || offset != text.size())) ++wrong;
    if (!legal && offset != 0) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("of all two-byte texts exactly the well-formed ones pass") {
  // The well-formed texts are the ASCII pairs and the sequences of U+0080 to U+07FF.
  std::size_t passed = 0;
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      if (!find_invalid_utf8(std::string{static_cast<char>(a), static_cast<char>(b)})) ++passed;
    }
  }
  CHECK(passed == 128 * 128 + (0x800 - 0x80));
}

TEST_CASE("the first bad byte is found") {
  CHECK_FALSE(find_invalid_utf8(""));
  CHECK_FALSE(find_invalid_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"));
  CHECK(*find_invalid_utf8("ab\xff") == 2);
  CHECK(*find_invalid_utf8("\xC3\xA9\xC3") == 2);           // cut short
  CHECK(*find_invalid_utf8("a\x80") == 1);                  // a continuation byte alone
  CHECK(*find_invalid_utf8("a\xC0\x80") == 1);              // overlong
  CHECK(*find_invalid_utf8("a\xE0\x9F\xBF") == 1);          // overlong
  CHECK(*find_invalid_utf8("a\xF0\x8F\xBF\xBF") == 1);      // overlong
  CHECK(*find_invalid_utf8("a\xED\xA0\x80") == 1);          // surrogate
  CHECK(*find_invalid_utf8("a\xF4\x90\x80\x80") == 1);      // above U+10FFFF
  CHECK(*find_invalid_utf8("a\xF8\x88\x80\x80\x80") == 1);  // five bytes
  CHECK(*find_invalid_utf8("\xE2\x82 \xAC") == 0);          // a sequence that another character interrupts
}

TEST_CASE("a shortened text ends with a whole character, and is as long as possible") {
  const std::string text = "a\u00e9\u20ac\U0001F600z";  // characters of 1, 2, 3, 4 and 1 bytes
  const std::size_t sizes[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t most = 0; most < std::size(sizes); ++most) CHECK(beginning_of(text, most).size() == sizes[most]);
}

TEST_CASE("control characters are found") {
  CHECK(is_control(0));
  CHECK(is_control(U'\n'));
  CHECK(is_control(0x1f));
  CHECK_FALSE(is_control(U' '));
  CHECK_FALSE(is_control(U'~'));
  CHECK(is_control(0x7f));
  CHECK(is_control(0x9f));
  CHECK_FALSE(is_control(0xa0));
}

TEST_CASE("lines end with LF, CRLF or CR") {
  const std::string text = "a\nb\r\nc\rd\n\ne";
  const std::size_t lines[] = {1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6};
  for (std::size_t i = 0; i < text.size(); ++i) CHECK(line_at(text, i) == lines[i]);
  CHECK(line_at("", 7) == 1);
  CHECK(line_at("a\r", 2) == 2);
}

TEST_CASE("if bytes are not text, the error names the line and the fault") {
  using namespace std::string_literals;
  CHECK_FALSE(find_text_fault(""));
  CHECK_FALSE(
      find_text_fault("\xEF\xBB\xBF"
                      "a\r\nb\xC3\xA9\n"));
  CHECK(find_text_fault("a\r\nb\r\ncaf\xE9\r\n") == "line 3: not UTF-8");
  CHECK(find_text_fault("\n\xFF\0"s) == "line 2: not UTF-8");
  CHECK(find_text_fault("ab\ncd\0"s) == "line 2: a zero byte, which text does not have");
  CHECK(find_text_fault("ab\ncd\0\xFF"s) == "line 2: a zero byte, which text does not have");
  for (const std::string& utf16 : {"\xFF\xFE"
                                   "a\0"s,
                                   "\xFE\xFF\0a"s, "a\0,\0"s, "\0a\0,"s}) {
    CHECK(find_text_fault(utf16) == "line 1: not UTF-8 but UTF-16; save the text as UTF-8");
  }
}

}  // namespace
}  // namespace hearsay
