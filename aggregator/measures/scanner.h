// Splits the text of a measure into tokens. Query::parse() reads the queries within a measure.
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
  std::size_t begin;  // the token is the bytes [begin, end) of the text
  std::size_t end;
  // How many pairs of brackets are around the token. A bracket is not inside its own pair.
  std::size_t depth;
};

// Returns the tokens of the text. A word consists of letters, digits and underscores, so an integer is a word, too. A
// string includes its quotes. Any other byte that is not white space is a token of its own. Errors: kQuerySyntax
// (brackets that do not match; a string without an end; ill-formed UTF-8), kQueryTooLarge.
Result<std::vector<Token>> scan(std::string_view text);

}  // namespace hearsay::measures
