// The parser's position in the tokens of a query, and errors at this position.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/query/lexer.h"

namespace hearsay::query {

class Cursor {
 public:
  // `tokens` are the tokens of `text`. `text` must outlive the cursor.
  Cursor(std::string_view text, std::vector<Token> tokens) : text_(text), tokens_(std::move(tokens)) {}

  // Returns the next token, or the token `ahead` places after the next one. Behind the end of the query, returns kEnd.
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }

  // Returns the next token and moves behind it. The next token must not be the end.
  const Token& take() { return tokens_[at_++]; }

  // Moves behind the next token if the token is of this kind.
  bool accept(TokenKind kind) {
    if (peek().kind != kind) return false;
    ++at_;
    return true;
  }

  // Moves behind the next token, or returns an error if the token is of another kind. `spelling` is the expected token.
  Result<void> expect(TokenKind kind, std::string_view spelling) {
    if (accept(kind)) return {};
    return syntax("expected `" + std::string(spelling) + "`");
  }

  // Returns an error about a token.
  Error error(const Token& token, ErrorCode code, std::string_view message) const {
    return error_at(text_, token.offset, code, message);
  }
  // Returns the error kQuerySyntax about the next token.
  Error syntax(std::string_view message) const { return error(peek(), ErrorCode::kQuerySyntax, message); }

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace hearsay::query
