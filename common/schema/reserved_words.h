// The words of the query language. If an attribute has such a name, a query writes the name in quotes.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace hearsay {

inline constexpr std::array<std::string_view, 9> kReservedWords = {
    "and", "at_least", "decision_list", "else", "in", "no", "not", "or", "yes"};

constexpr bool is_reserved_word(std::string_view word) {
  return std::find(kReservedWords.begin(), kReservedWords.end(), word) != kReservedWords.end();
}

}  // namespace hearsay
