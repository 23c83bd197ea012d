#include "common/query/parser.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/try.h"
#include "common/query/comparison.h"
#include "common/query/lexer.h"
#include "common/query/value_set.h"

namespace hearsay::query {
namespace {

bool is_relation(TokenKind kind) { return kind >= TokenKind::kGreaterEqual && kind <= TokenKind::kNotEqual; }
bool is_equality(TokenKind kind) { return kind == TokenKind::kEqual || kind == TokenKind::kNotEqual; }
bool is_operator(TokenKind kind) { return kind >= TokenKind::kPlus && kind <= TokenKind::kStar; }

Relation relation_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::kGreaterEqual:
      return Relation::kGreaterEqual;
    case TokenKind::kLessEqual:
      return Relation::kLessEqual;
    case TokenKind::kGreater:
      return Relation::kGreater;
    case TokenKind::kLess:
      return Relation::kLess;
    case TokenKind::kEqual:
      return Relation::kEqual;
    default:
      return Relation::kNotEqual;
  }
}

// One And or Or of all operands; operands of the same kind give way to their own operands.
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

// Recursive descent, one function a rule of the grammar. It recurses only where nesting_ counts.
class Parser {
 public:
  Parser(const Schema& schema, std::string_view text, std::vector<Token> tokens)
      : schema_(schema), text_(text), tokens_(std::move(tokens)) {}

  Result<Query> whole() {
    HEARSAY_TRY(Query query, disjunction());
    if (peek().kind != TokenKind::kEnd) return syntax("expected `and`, `or` or the end of the query");
    return query;
  }

 private:
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& take() { return tokens_[at_++]; }  // never called on the last token, kEnd
  bool accept(TokenKind kind) {
    if (peek().kind != kind) return false;
    ++at_;
    return true;
  }
  Error error(const Token& token, ErrorCode code, std::string_view message) const {
    return error_at(text_, token.offset, code, message);
  }
  Error syntax(std::string_view message) const { return error(peek(), ErrorCode::kQuerySyntax, message); }
  Result<void> expect(TokenKind kind, std::string_view spelling) {
    if (accept(kind)) return {};
    return syntax("expected `" + std::string(spelling) + "`");
  }
  Result<void> enter(const Token& token) {
    if (++nesting_ <= Query::kMaxDepth) return {};
    return error(token, ErrorCode::kQueryTooLarge,
                 "the query is nested more than " + std::to_string(Query::kMaxDepth) + " deep");
  }
  void leave() { --nesting_; }

  Result<Query> disjunction() {
    std::vector<Query> operands;
    do {
      HEARSAY_TRY(Query operand, conjunction());
      operands.push_back(std::move(operand));
    } while (accept(TokenKind::kOr));
    return connect<Or>(std::move(operands));
  }

  Result<Query> conjunction() {
    std::vector<Query> operands;
    do {
      HEARSAY_TRY(Query operand, negation());
      operands.push_back(std::move(operand));
    } while (accept(TokenKind::kAnd));
    return connect<And>(std::move(operands));
  }

  Result<Query> negation() {
    if (peek().kind != TokenKind::kNot) return primary();
    HEARSAY_CHECK_OK(enter(take()));
    HEARSAY_TRY(Query operand, negation());
    leave();
    return Query(Not{std::make_shared<const Query>(std::move(operand))});
  }

  Result<Query> primary() {
    switch (peek().kind) {
      case TokenKind::kLeftParen:
        return parenthesis();
      case TokenKind::kAtLeast:
        return at_least();
      case TokenKind::kDecisionList:
        return decision_list();
      case TokenKind::kName:
        return condition();
      case TokenKind::kNumber:
      case TokenKind::kMinus:
        return comparison();
      default:
        return syntax("expected a condition");
    }
  }

  Result<Query> parenthesis() {
    HEARSAY_CHECK_OK(enter(take()));
    HEARSAY_TRY(Query inner, disjunction());
    HEARSAY_CHECK_OK(expect(TokenKind::kRightParen, ")"));
    leave();
    return inner;
  }

  Result<Query> at_least() {
    HEARSAY_CHECK_OK(enter(take()));
    HEARSAY_CHECK_OK(expect(TokenKind::kLeftParen, "("));
    if (peek().kind != TokenKind::kNumber) return syntax("expected a count");
    const Token& count = take();
    AtLeast result{};
    while (accept(TokenKind::kComma)) {
      HEARSAY_TRY(Query operand, disjunction());
      result.operands.push_back(std::move(operand));
    }
    if (result.operands.empty()) return syntax("expected `,` and a condition to count");
    HEARSAY_CHECK_OK(expect(TokenKind::kRightParen, ")"));
    if (count.number > result.operands.size() + 1) {
      return error(count, ErrorCode::kQuerySyntax, "the count is above the number of conditions plus 1");
    }
    result.count = static_cast<std::uint32_t>(count.number);
    leave();
    return Query(std::move(result));
  }

  Result<Query> decision_list() {
    HEARSAY_CHECK_OK(enter(take()));
    HEARSAY_CHECK_OK(expect(TokenKind::kLeftParen, "("));
    DecisionList result{};
    while (peek().kind != TokenKind::kElse) {
      HEARSAY_TRY(Query condition, disjunction());
      HEARSAY_TRY(const bool value, label());
      HEARSAY_CHECK_OK(expect(TokenKind::kComma, ","));
      result.items.push_back({std::move(condition), value});
    }
    if (result.items.empty()) return syntax("a decision list needs a condition before `else`");
    ++at_;
    HEARSAY_TRY(result.otherwise, label());
    HEARSAY_CHECK_OK(expect(TokenKind::kRightParen, ")"));
    leave();
    return Query(std::move(result));
  }

  Result<bool> label() {
    HEARSAY_CHECK_OK(expect(TokenKind::kColon, ":"));
    if (accept(TokenKind::kYes)) return true;
    if (accept(TokenKind::kNo)) return false;
    return syntax("expected `yes` or `no`");
  }

  Result<std::uint32_t> attribute(const Token& name) const {
    if (const auto index = schema_.find(name.text)) return static_cast<std::uint32_t>(*index);
    const std::string shown = name.text.size() <= Attribute::kMaxNameBytes ? " named " + name.text : "";
    return error(name, ErrorCode::kUnknownAttribute, "there is no attribute" + shown);
  }

  // A condition that begins with a name. What may follow depends on the attribute's kind.
  Result<Query> condition() {
    const Token& name = peek();
    HEARSAY_TRY(const std::uint32_t index, attribute(name));
    const TokenKind next = peek(1).kind;
    if (next == TokenKind::kIn || (next == TokenKind::kNot && peek(2).kind == TokenKind::kIn)) return membership(index);
    switch (schema_[index].kind()) {
      case AttributeKind::kCategorical: {
        if (is_equality(next)) return equality(index);
        return error(name, ErrorCode::kQuerySyntax,
                     "attribute " + name.text + " is categorical: compare it with `=` or `!=`, or use `in`");
      }
      case AttributeKind::kBoolean: {
        if (is_equality(next) && lone_value(2)) return equality(index);
        if (is_relation(next) || is_operator(next)) break;
        ++at_;
        return Query(Membership{index, {{1, 1}}});
      }
      case AttributeKind::kRange: {
        if (is_relation(next) || is_operator(next)) break;
        return error(name, ErrorCode::kQuerySyntax,
                     "attribute " + name.text + " is not boolean: compare it, or use `in`");
      }
    }
    return comparison();
  }

  // Whether the token so far ahead is all there is of the right side of a boolean's comparison.
  bool lone_value(std::size_t ahead) const {
    if (peek(ahead).kind == TokenKind::kYes || peek(ahead).kind == TokenKind::kNo) return true;
    if (peek(ahead).kind == TokenKind::kMinus) ++ahead;
    return peek(ahead).kind == TokenKind::kNumber && !is_operator(peek(ahead + 1).kind);
  }

  // name ("=" | "!=") value
  Result<Query> equality(std::uint32_t index) {
    ++at_;
    const bool negated = take().kind == TokenKind::kNotEqual;
    HEARSAY_TRY(const std::uint32_t wanted, value(schema_[index]));
    ValueSet values{{wanted, wanted}};
    if (negated) values = complement(values, schema_[index].size());
    return Query(Membership{index, std::move(values)});
  }

  // name ["not"] "in" set
  Result<Query> membership(std::uint32_t index) {
    ++at_;
    const bool negated = accept(TokenKind::kNot);
    ++at_;
    HEARSAY_TRY(ValueSet values, set(schema_[index]));
    if (negated) values = complement(values, schema_[index].size());
    return Query(Membership{index, std::move(values)});
  }

  Result<ValueSet> set(const Attribute& of) {
    ValueSet values;
    if (!accept(TokenKind::kLeftBrace)) {
      const bool integer = peek().kind == TokenKind::kNumber || peek().kind == TokenKind::kMinus;
      if (of.kind() != AttributeKind::kRange || !integer) return syntax("expected `{`");
      HEARSAY_CHECK_OK(integers(of, true, values));
      return values;
    }
    if (accept(TokenKind::kRightBrace)) return values;
    do {
      if (of.kind() == AttributeKind::kRange) {
        HEARSAY_CHECK_OK(integers(of, false, values));
      } else {
        HEARSAY_TRY(const std::uint32_t index, value(of));
        values.emplace_back(index, index);
      }
    } while (accept(TokenKind::kComma));
    HEARSAY_CHECK_OK(expect(TokenKind::kRightBrace, "}"));
    return make_value_set(std::move(values));
  }

  // An integer or an interval, intersected with the range and added to `values`.
  Result<void> integers(const Attribute& of, bool interval_needed, ValueSet& values) {
    const Token& start = peek();
    HEARSAY_TRY(const Int128 first, integer(of));
    Int128 last = first;
    if (interval_needed && peek().kind != TokenKind::kDots) return syntax("expected `..`");
    if (accept(TokenKind::kDots)) {
      HEARSAY_TRY(last, integer(of));
      if (last < first) return error(start, ErrorCode::kQuerySyntax, "the interval's ends are in the wrong order");
    }
    const Int128 from = std::max<Int128>(first, of.min());
    const Int128 to = std::min<Int128>(last, of.max());
    if (from > to) return {};
    values.emplace_back(static_cast<std::uint32_t>(from - of.min()), static_cast<std::uint32_t>(to - of.min()));
    return {};
  }

  Result<Int128> integer(const Attribute& of) {
    const bool value_of_another_kind =
        peek().kind <= TokenKind::kString || peek().kind == TokenKind::kYes || peek().kind == TokenKind::kNo;
    if (peek().kind != TokenKind::kNumber && value_of_another_kind) return unknown_value(peek(), of);
    const bool negative = accept(TokenKind::kMinus);
    if (peek().kind != TokenKind::kNumber) return syntax("expected an integer");
    const Int128 magnitude = take().number;
    return negative ? -magnitude : magnitude;
  }

  Error unknown_value(const Token& token, const Attribute& of) const {
    return error(token, ErrorCode::kUnknownValue, "this is not a value of attribute " + of.name());
  }

  // A value of a boolean or categorical attribute.
  Result<std::uint32_t> value(const Attribute& of) {
    const Token& token = peek();
    std::optional<std::uint32_t> index;
    const bool boolean = of.kind() == AttributeKind::kBoolean;
    switch (token.kind) {
      case TokenKind::kYes:
      case TokenKind::kNo: {
        const bool yes = token.kind == TokenKind::kYes;
        index = boolean ? std::optional<std::uint32_t>(yes ? 1 : 0) : of.index_of(yes ? "yes" : "no");
        break;
      }
      case TokenKind::kNumber:
        if (boolean && token.number <= 1) index = static_cast<std::uint32_t>(token.number);
        break;
      case TokenKind::kName:
      case TokenKind::kString:
        if (!boolean) index = of.index_of(token.text);
        break;
      case TokenKind::kMinus:
        break;
      default:
        return syntax("expected a value of attribute " + of.name());
    }
    if (!index) return unknown_value(token, of);
    ++at_;
    return *index;
  }

  // sum relation sum
  Result<Query> comparison() {
    const Token& start = peek();
    HEARSAY_TRY(const Sum left, sum());
    if (!is_relation(peek().kind)) return syntax("expected `>=`, `<=`, `>`, `<`, `=` or `!=`");
    const Relation relation = relation_of(take().kind);
    HEARSAY_TRY(const Sum right, sum());
    auto query = compare(schema_, left, relation, right);
    if (!query) return error(start, query.error().code, query.error().message);
    return query;
  }

  Result<Sum> sum() {
    Sum result;
    bool negative = false;
    while (true) {
      HEARSAY_CHECK_OK(term(negative, result));
      if (accept(TokenKind::kPlus)) {
        negative = false;
      } else if (accept(TokenKind::kMinus)) {
        negative = true;
      } else {
        return result;
      }
    }
  }

  // ["-"] (number | name | number "*" name | name "*" number), added to `sum` or with `negative` taken from it.
  Result<void> term(bool negative, Sum& sum) {
    if (accept(TokenKind::kMinus)) negative = !negative;
    const Int128 sign = negative ? -1 : 1;
    if (peek().kind == TokenKind::kNumber) {
      const Int128 number = sign * take().number;
      if (!accept(TokenKind::kStar)) {
        sum.constant += number;
        return {};
      }
      HEARSAY_TRY(const std::uint32_t factor, summand());
      sum.terms.push_back({number, factor});
      return {};
    }
    if (peek().kind != TokenKind::kName) return syntax("expected a number or an attribute");
    HEARSAY_TRY(const std::uint32_t index, summand());
    Int128 number = 1;
    if (accept(TokenKind::kStar)) {
      if (peek().kind != TokenKind::kNumber) return syntax("expected a number");
      number = take().number;
    }
    sum.terms.push_back({sign * number, index});
    return {};
  }

  // An attribute that counts in a sum.
  Result<std::uint32_t> summand() {
    if (peek().kind != TokenKind::kName) return syntax("expected an attribute");
    const Token& name = take();
    HEARSAY_TRY(const std::uint32_t index, attribute(name));
    if (schema_[index].kind() == AttributeKind::kCategorical) {
      return error(name, ErrorCode::kQuerySyntax, "attribute " + name.text + " is categorical and cannot be in a sum");
    }
    return index;
  }

  const Schema& schema_;
  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t nesting_ = 0;
};

}  // namespace

Result<Query> parse_text(const Schema& schema, std::string_view text) {
  HEARSAY_TRY(std::vector<Token> tokens, tokenize(text));
  return Parser(schema, text, std::move(tokens)).whole();
}

}  // namespace hearsay::query
