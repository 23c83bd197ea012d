#include "common/schema/value_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace hearsay {
namespace {

// Returns true if `text` is `word`, in capitals or not. `word` is in small letters.
bool is_word(std::string_view text, std::string_view word) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [&](char a, char b) { return small(a) == b; });
}

std::optional<std::uint32_t> boolean_from_text(std::string_view text) {
  constexpr std::array<std::array<std::string_view, 3>, 2> kWords{{{"no", "false", "0"}, {"yes", "true", "1"}}};
  for (std::uint32_t value = 0; value < 2; ++value) {
    for (const std::string_view word : kWords[value]) {
      if (is_word(text, word)) return value;
    }
  }
  return std::nullopt;
}

std::string names_of(const Attribute& attribute) {
  constexpr std::size_t kMaxBytes = 200;  // the list ends before this many bytes; the first name is always in the list
  std::string names = "'" + attribute.values().front() + "'";
  std::uint32_t named = 1;
  for (; named < attribute.size(); ++named) {
    const std::string& name = attribute.values()[named];
    if (names.size() + name.size() > kMaxBytes) break;
    names += (named + 1 == attribute.size() ? " or '" : ", '") + name + "'";
  }
  const std::uint32_t others = attribute.size() - named;
  if (others == 0) return names;
  return names + (others == 1 ? " or 1 other value" : " or one of " + std::to_string(others) + " other values");
}

}  // namespace

std::optional<std::uint32_t> value_from_text(const Attribute& attribute, std::string_view text) {
  switch (attribute.kind()) {
    case AttributeKind::kBoolean:
      return boolean_from_text(text);
    case AttributeKind::kCategorical:
      return attribute.index_of(text);
    case AttributeKind::kRange:
      break;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < attribute.min() || value > attribute.max()) return std::nullopt;
  return static_cast<std::uint32_t>(value - attribute.min());
}

std::string accepted_values(const Attribute& attribute, std::string_view boolean) {
  switch (attribute.kind()) {
    case AttributeKind::kBoolean:
      return std::string(boolean);
    case AttributeKind::kCategorical:
      return names_of(attribute);
    case AttributeKind::kRange:
      break;
  }
  return "an integer from " + std::to_string(attribute.min()) + " to " + std::to_string(attribute.max());
}

std::string heading(const Attribute& attribute) {
  const std::string& text = attribute.title().empty() ? attribute.name() : attribute.title();
  return attribute.unit().empty() ? text : text + " (" + attribute.unit() + ")";
}

}  // namespace hearsay
