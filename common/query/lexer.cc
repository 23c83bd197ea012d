#include "common/query/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/try.h"
#include "common/base/utf8.h"
#include "common/schema/reserved_words.h"
#include "hearsay/query.h"

namespace hearsay::query {
namespace {

using Spelling = std::pair<std::string_view, TokenKind>;

constexpr std::array<Spelling, 9> kWords = {{{"and", TokenKind::kAnd},
                                             {"at_least", TokenKind::kAtLeast},
                                             {"decision_list", TokenKind::kDecisionList},
                                             {"else", TokenKind::kElse},
                                             {"in", TokenKind::kIn},
                                             {"no", TokenKind::kNo},
                                             {"not", TokenKind::kNot},
                                             {"or", TokenKind::kOr},
                                             {"yes", TokenKind::kYes}}};
static_assert(kWords.size() == kReservedWords.size() &&
              std::all_of(kWords.begin(), kWords.end(),
                          [](const Spelling& word) { return is_reserved_word(word.first); }));

// A longer spelling stands before the spellings that it begins with.
constexpr std::array<Spelling, 17> kPunctuation = {{{">=", TokenKind::kGreaterEqual},
                                                    {"<=", TokenKind::kLessEqual},
                                                    {"==", TokenKind::kEqual},
                                                    {"!=", TokenKind::kNotEqual},
                                                    {"..", TokenKind::kDots},
                                                    {">", TokenKind::kGreater},
                                                    {"<", TokenKind::kLess},
                                                    {"=", TokenKind::kEqual},
                                                    {"(", TokenKind::kLeftParen},
                                                    {")", TokenKind::kRightParen},
                                                    {"{", TokenKind::kLeftBrace},
                                                    {"}", TokenKind::kRightBrace},
                                                    {",", TokenKind::kComma},
                                                    {":", TokenKind::kColon},
                                                    {"+", TokenKind::kPlus},
                                                    {"-", TokenKind::kMinus},
                                                    {"*", TokenKind::kStar}}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Reads one token at a time from text that is known to be well-formed UTF-8.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<Token> next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ == text_.size()) return Token{TokenKind::kEnd, at_, {}};
    const char c = text_[at_];
    if (is_letter(c)) return word();
    if (is_digit(c)) return number();
    if (c == '"') return string();
    for (const auto& [spelling, kind] : kPunctuation) {
      if (text_.substr(at_, spelling.size()) == spelling) {
        at_ += spelling.size();
        return Token{kind, at_ - spelling.size(), {}};
      }
    }
    return error_at(
        text_, at_, ErrorCode::kQuerySyntax,
        "a character that has no meaning here; names and values of other characters than letters a-z and A-Z, "
        "digits and _ stand in double quotes");
  }

 private:
  Token word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view spelling = text_.substr(start, at_ - start);
    for (const auto& [known, kind] : kWords) {
      if (spelling == known) return {kind, start, std::string(spelling)};
    }
    return {TokenKind::kName, start, std::string(spelling)};
  }

  Result<Token> number() {
    constexpr std::uint64_t kMax = std::uint64_t{1} << 63U;
    const std::size_t start = at_;
    std::uint64_t value = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (value > (kMax - digit) / 10) {
        return error_at(text_, start, ErrorCode::kQueryTooLarge, "the number is above 2^63");
      }
      value = value * 10 + digit;
    }
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      return error_at(text_, at_, ErrorCode::kQuerySyntax, "numbers are whole, without a point");
    }
    if (at_ < text_.size() && is_letter(text_[at_])) {
      return error_at(text_, at_, ErrorCode::kQuerySyntax, "a number runs into a letter");
    }
    return Token{TokenKind::kNumber, start, {}, value};
  }

  Result<Token> string() {
    const std::size_t start = at_++;
    std::string value;
    while (at_ < text_.size()) {
      const std::size_t before = at_;
      const char32_t point = next_code_point(text_, at_).value_or(0);
      if (point == U'"') return Token{TokenKind::kString, start, std::move(value)};
      if (is_control(point)) {
        return error_at(text_, before, ErrorCode::kQuerySyntax, "a control character in quotes");
      }
      if (point == U'\\') {
        if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\\')) {
          return error_at(text_, before, ErrorCode::kQuerySyntax, "only \\\" and \\\\ are escapes in quotes");
        }
        value += text_[at_++];
      } else {
        value += text_.substr(before, at_ - before);
      }
    }
    return error_at(text_, start, ErrorCode::kQuerySyntax, "the closing quote is missing");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text) {
  if (text.size() > Query::kMaxTextBytes) {
    return error_at(text, 0, ErrorCode::kQueryTooLarge,
                    "the query is longer than " + std::to_string(Query::kMaxTextBytes) + " bytes");
  }
  if (const auto invalid = find_invalid_utf8(text)) {
    return error_at(text, *invalid, ErrorCode::kQuerySyntax, "the query is not UTF-8");
  }
  std::vector<Token> tokens;
  Lexer lexer(text);
  do {
    HEARSAY_TRY(Token token, lexer.next());
    tokens.push_back(std::move(token));
  } while (tokens.back().kind != TokenKind::kEnd);
  return tokens;
}

Error error_at(std::string_view text, std::size_t offset, ErrorCode code, std::string_view message) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t at = 0; at < offset;) {
    const std::optional<char32_t> point = next_code_point(text, at);
    if (!point) break;
    ++column;
    if (*point == U'\n') {
      ++line;
      column = 1;
    }
  }
  return {code, "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + std::string(message)};
}

}  // namespace hearsay::query
