#include "common/schema/names.h"

#include <algorithm>
#include <optional>

#include "common/base/utf8.h"
#include "common/schema/reserved_words.h"
#include "hearsay/schema.h"

namespace hearsay {
namespace {

Error invalid_text(std::string_view what, const std::string& fault) {
  return {ErrorCode::kInvalidSchema, std::string(what) + fault};
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Unicode's property White_Space without the control characters. This list and the list of moves_text() are fixed, so
// that a new version of Unicode does not change which tasks are valid.
bool is_white_space(char32_t c) {
  return c == 0x20 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

// Characters that move the text behind them: the two line ends beyond ASCII, and the characters with the property
// Bidi_Control. Joiners are allowed, since emoji and several scripts need joiners.
bool moves_text(char32_t c) {
  return c == 0x2028 || c == 0x2029 || c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

Result<void> check_name(std::string_view name, std::string_view what) {
  if (name.empty() || name.size() > Attribute::kMaxNameBytes) {
    return invalid_text(what, " must have 1 to " + std::to_string(Attribute::kMaxNameBytes) + " bytes");
  }
  if (auto printable = check_printable(name, what); !printable) return printable;
  char32_t first = 0;
  char32_t last = 0;
  for (std::size_t offset = 0; offset < name.size();) {
    const bool begins = offset == 0;
    last = next_code_point(name, offset).value_or(0);
    if (begins) first = last;
    if (moves_text(last)) return invalid_text(what, " has a character that changes how the text around it is laid out");
  }
  if (is_white_space(first) || is_white_space(last)) return invalid_text(what, " begins or ends with white space");
  return {};
}

Result<void> check_printable(std::string_view text, std::string_view what) {
  for (std::size_t offset = 0; offset < text.size();) {
    const std::optional<char32_t> point = next_code_point(text, offset);
    if (!point) return invalid_text(what, " is not UTF-8");
    if (is_control(*point)) return invalid_text(what, " has a control character");
  }
  return {};
}

bool is_plain_name(std::string_view name) {
  if (name.empty() || !is_letter(name[0]) || is_reserved_word(name)) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string shown_name(std::string_view name) { return is_plain_name(name) ? std::string(name) : in_quotes(name); }

}  // namespace hearsay
