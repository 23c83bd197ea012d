#include "common/query/parser.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/try.h"
#include "common/query/condition.h"
#include "common/query/cursor.h"
#include "common/schema/names.h"

namespace hearsay::query {
namespace {

// Returns one And or Or of all operands. Replaces operands of the same kind by their own operands.
template <class Connective>
Query connect(std::vector<Query> operands) {
  if (operands.size() == 1) return std::move(operands[0]);
  Connective flat;
  for (Query& operand : operands) {
    if (const auto* inner = std::get_if<Connective>(&operand.node())) {
      flat.operands.insert(flat.operands.end(), inner->operands.begin(), inner->operands.end());
    } else {
      flat.operands.push_back(std::move(operand));
    }
  }
  return Query(std::move(flat));
}

// A recursive descent parser, with one function for each rule of the grammar. nesting_ bounds the recursion.
class Parser {
 public:
  Parser(const Schema& schema, Cursor cursor) : schema_(schema), cursor_(std::move(cursor)) {}

  Result<Query> whole() {
    HEARSAY_TRY(Query query, disjunction());
    if (cursor_.peek().kind != TokenKind::kEnd) return cursor_.syntax("expected `and`, `or` or the end of the query");
    return query;
  }

 private:
  Result<void> enter(const Token& token) {
    if (++nesting_ <= Query::kMaxDepth) return {};
    return cursor_.error(token, ErrorCode::kQueryTooLarge,
                         "more than " + std::to_string(Query::kMaxDepth) +
                             " parentheses, `not`, `at_least` or `decision_list` stand inside each other: use fewer");
  }
  void leave() { --nesting_; }

  Result<Query> disjunction() {
    std::vector<Query> operands;
    do {
      HEARSAY_TRY(Query operand, conjunction());
      operands.push_back(std::move(operand));
    } while (cursor_.accept(TokenKind::kOr));
    return connect<Or>(std::move(operands));
  }

  Result<Query> conjunction() {
    std::vector<Query> operands;
    do {
      HEARSAY_TRY(Query operand, negation());
      operands.push_back(std::move(operand));
    } while (cursor_.accept(TokenKind::kAnd));
    return connect<And>(std::move(operands));
  }

  Result<Query> negation() {
    if (cursor_.peek().kind != TokenKind::kNot) return primary();
    HEARSAY_CHECK_OK(enter(cursor_.take()));
    HEARSAY_TRY(Query operand, negation());
    leave();
    return Query(Not{std::make_shared<const Query>(std::move(operand))});
  }

  Result<Query> primary() {
    switch (cursor_.peek().kind) {
      case TokenKind::kLeftParen:
        return parenthesis();
      case TokenKind::kAtLeast:
        return at_least();
      case TokenKind::kDecisionList:
        return decision_list();
      case TokenKind::kName:
      case TokenKind::kString:
      case TokenKind::kNumber:
      case TokenKind::kMinus:
        return parse_condition(schema_, cursor_);
      default:
        return no_condition();
    }
  }

  Error no_condition() const {
    const std::string& word = cursor_.peek().text;
    if (word.empty() || !schema_.find(word)) return cursor_.syntax("expected a condition, such as `age >= 30`");
    return cursor_.syntax(
        "`" + word + "` is a word of the language; write the attribute of this name in quotes: " + in_quotes(word));
  }

  Result<Query> parenthesis() {
    HEARSAY_CHECK_OK(enter(cursor_.take()));
    HEARSAY_TRY(Query inner, disjunction());
    HEARSAY_CHECK_OK(cursor_.expect(TokenKind::kRightParen, ")"));
    leave();
    return inner;
  }

  Result<Query> at_least() {
    HEARSAY_CHECK_OK(enter(cursor_.take()));
    HEARSAY_CHECK_OK(cursor_.expect(TokenKind::kLeftParen, "("));
    if (cursor_.peek().kind != TokenKind::kNumber) return cursor_.syntax("expected a count");
    const Token& count = cursor_.take();
    AtLeast result{};
    while (cursor_.accept(TokenKind::kComma)) {
      HEARSAY_TRY(Query operand, disjunction());
      result.operands.push_back(std::move(operand));
    }
    if (result.operands.empty()) return cursor_.syntax("expected `,` and a condition to count");
    HEARSAY_CHECK_OK(cursor_.expect(TokenKind::kRightParen, ")"));
    if (count.number > result.operands.size() + 1) {
      return cursor_.error(count, ErrorCode::kQuerySyntax, "the count is above the number of conditions plus 1");
    }
    result.count = static_cast<std::uint32_t>(count.number);
    leave();
    return Query(std::move(result));
  }

  Result<Query> decision_list() {
    HEARSAY_CHECK_OK(enter(cursor_.take()));
    HEARSAY_CHECK_OK(cursor_.expect(TokenKind::kLeftParen, "("));
    DecisionList result{};
    while (cursor_.peek().kind != TokenKind::kElse) {
      HEARSAY_TRY(Query condition, disjunction());
      HEARSAY_TRY(const bool value, label());
      HEARSAY_CHECK_OK(cursor_.expect(TokenKind::kComma, ","));
      result.items.push_back({std::move(condition), value});
    }
    if (result.items.empty()) return cursor_.syntax("a decision list needs a condition before `else`");
    cursor_.take();
    HEARSAY_TRY(result.otherwise, label());
    HEARSAY_CHECK_OK(cursor_.expect(TokenKind::kRightParen, ")"));
    leave();
    return Query(std::move(result));
  }

  Result<bool> label() {
    HEARSAY_CHECK_OK(cursor_.expect(TokenKind::kColon, ":"));
    if (cursor_.accept(TokenKind::kYes)) return true;
    if (cursor_.accept(TokenKind::kNo)) return false;
    return cursor_.syntax("expected `yes` or `no`");
  }

  const Schema& schema_;
  Cursor cursor_;
  std::size_t nesting_ = 0;
};

}  // namespace

Result<Query> parse_text(const Schema& schema, std::string_view text) {
  HEARSAY_TRY(std::vector<Token> tokens, tokenize(text));
  return Parser(schema, Cursor(text, std::move(tokens))).whole();
}

}  // namespace hearsay::query
