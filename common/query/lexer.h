// Tokens of the query language; see format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::query {

enum class TokenKind : std::uint8_t {
  kName,
  kNumber,
  kString,
  // Words
  kAnd,
  kAtLeast,
  kDecisionList,
  kElse,
  kIn,
  kNo,
  kNot,
  kOr,
  kYes,
  // Punctuation
  kLeftParen,
  kRightParen,
  kLeftBrace,
  kRightBrace,
  kComma,
  kColon,
  kDots,
  kPlus,
  kMinus,
  kStar,
  kGreaterEqual,
  kLessEqual,
  kGreater,
  kLess,
  kEqual,
  kNotEqual,
  kEnd,
};

struct Token {
  TokenKind kind;
  std::size_t offset;        // the position of the token's first byte
  std::string text;          // a name or word, or a string without quotes and escapes
  std::uint64_t number = 0;  // the value of a number, at most 2^63
};

// Returns the tokens of the text, with one kEnd behind them. Errors: kQuerySyntax, kQueryTooLarge.
Result<std::vector<Token>> tokenize(std::string_view text);

// Returns an error whose message begins with the line and column of the byte at `offset`.
Error error_at(std::string_view text, std::size_t offset, ErrorCode code, std::string_view message);

}  // namespace hearsay::query
