#include "aggregator/measures/scanner.h"

#include <algorithm>

#include "aggregator/measures/measure.h"
#include "common/base/utf8.h"
#include "common/query/lexer.h"

namespace hearsay::measures {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

char opener_of(char close) { return close == ')' ? '(' : '{'; }

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

Error syntax(std::string_view text, std::size_t at, std::string_view message) {
  return query::error_at(text, at, ErrorCode::kQuerySyntax, message);
}

}  // namespace

Result<std::vector<Token>> scan(std::string_view text) {
  if (const auto bad = find_invalid_utf8(text)) return syntax(text.substr(0, *bad), *bad, "the text is not UTF-8 here");
  if (text.size() > Measure::kMaxTextBytes) {
    return Error{ErrorCode::kQueryTooLarge, "line 1, column 1: a measure has at most 65,536 bytes"};
  }
  std::vector<Token> tokens;
  std::vector<std::size_t> open;  // positions of the open brackets
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (is_space(c)) {
      ++at;
      continue;
    }
    Token token{TokenKind::kOther, at, at + 1, open.size()};
    if (is_word(c)) {
      token.kind = TokenKind::kWord;
      token.end = end_of_word(text, at);
    } else if (c == '"') {
      token.kind = TokenKind::kString;
      token.end = end_of_string(text, at);
      if (token.end == std::string_view::npos) return syntax(text, at, "this quote is never closed");
    } else if (c == '(' || c == '{') {
      token.kind = TokenKind::kOpen;
      open.push_back(at);
    } else if (c == ')' || c == '}') {
      if (open.empty() || text[open.back()] != opener_of(c))
        return syntax(text, at, "this bracket closes no open bracket");
      token.kind = TokenKind::kClose;
      open.pop_back();
      token.depth = open.size();
    }
    at = token.end;
    tokens.push_back(token);
  }
  if (!open.empty()) return syntax(text, open.back(), "this bracket is never closed");
  return tokens;
}

}  // namespace hearsay::measures
