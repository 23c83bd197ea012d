#include "aggregator/proposal/column.h"

#include <string_view>

#include "common/companion/rule.h"

namespace hearsay::proposal {
namespace {

// Returns the small letter of a capital letter that takes two bytes in UTF-8. Knows Latin letters to U+017E, Greek
// letters without accents, and Cyrillic letters to U+042F. Returns any other code point as it is.
unsigned small_letter(unsigned code) {
  const bool next = (code >= 0x100 && code <= 0x137 && code != 0x130) || (code >= 0x14A && code <= 0x177);
  const bool next_of_odd = (code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17E);
  if (next) return code | 1U;
  if (next_of_odd) return code + code % 2;
  if (code >= 0x400 && code <= 0x40F) return code + 0x50;
  const bool far = (code >= 0xC0 && code <= 0xDE && code != 0xD7) ||
                   (code >= 0x391 && code <= 0x3AB && code != 0x3A2) || (code >= 0x410 && code <= 0x42F);
  return far ? code + 0x20 : code;
}

// Adds the letter of two bytes.
void add_small(std::string& result, unsigned char first, unsigned char second) {
  const unsigned code = small_letter((first & 0x1FU) << 6U | (second & 0x3FU));
  result += static_cast<char>(0xC0U | code >> 6U);
  result += static_cast<char>(0x80U | (code & 0x3FU));
}

}  // namespace

void Column::add(const std::string& text, std::size_t line, bool missing) {
  if (missing) {
    ++missing_;
    if (text.empty()) ++empty_;
    return;
  }
  ++present_;
  const auto [known, is_new] = index_.emplace(text, texts_.size());
  if (is_new) texts_.push_back({text, 0, line});
  ++texts_[known->second].count;
}

std::string folded(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool two_bytes = (static_cast<unsigned char>(c) & 0xE0U) == 0xC0U && i + 1 < text.size();
    if (two_bytes) {
      add_small(result, static_cast<unsigned char>(c), static_cast<unsigned char>(text[++i]));
      continue;
    }
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (space && (result.empty() || result.back() == ' ')) continue;
    result += space ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

}  // namespace hearsay::proposal
