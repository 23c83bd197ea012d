// The tokens by which a measure is taken apart. Queries within a measure are left to the parser of queries.
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
  std::size_t depth;  // how many brackets are open around the token; a bracket itself is outside of its pair
};

// Words are letters, digits and underscores, also numbers; a string has its quotes; any other byte that is no white
// space is a token of its own. Errors: kQuerySyntax (brackets that do not match; a string without an end; UTF-8 that is
// ill-formed), kQueryTooLarge.
Result<std::vector<Token>> scan(std::string_view text);

}  // namespace hearsay::measures
