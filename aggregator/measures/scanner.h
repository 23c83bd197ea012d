// Cuts a measure into tokens. The parser of queries reads the queries within a measure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::measures {

enum class TokenKind : std::uint8_t { kWord, kString, kOpen, kClose, kOther };

struct Token {
  TokenKind kind;
  std::size_t begin;  // bytes of the text
  std::size_t end;
  // How many brackets are open around the token. A bracket itself is outside of its pair.
  std::size_t depth;
};

// A word is letters, digits and underscores, so a number is a word, too. A string has its quotes. Any other byte that
// is no white space is a token. Errors: kQuerySyntax (brackets that do not match; a string without an end; ill-formed
// UTF-8), kQueryTooLarge.
Result<std::vector<Token>> scan(std::string_view text);

}  // namespace hearsay::measures
