#include "common/query/condition.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "common/base/nearest.h"
#include "common/base/try.h"
#include "common/query/comparison.h"
#include "common/query/value_set.h"
#include "common/schema/names.h"
#include "common/schema/value_text.h"

namespace hearsay::query {
namespace {

bool is_relation(TokenKind kind) { return kind >= TokenKind::kGreaterEqual && kind <= TokenKind::kNotEqual; }
bool is_equality(TokenKind kind) { return kind == TokenKind::kEqual || kind == TokenKind::kNotEqual; }
// A name in quotes is a string. Where the grammar has a value, the string is a value.
bool is_name(TokenKind kind) { return kind == TokenKind::kName || kind == TokenKind::kString; }
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

// Each rule of the grammar has one function. No function recurses.
class ConditionParser {
 public:
  ConditionParser(const Schema& schema, Cursor& cursor) : schema_(schema), cursor_(cursor) {}

  Result<Query> condition() { return is_name(cursor_.peek().kind) ? named() : comparison(); }

 private:
  Result<std::uint32_t> attribute(const Token& name) const {
    if (const auto index = schema_.find(name.text)) return static_cast<std::uint32_t>(*index);
    const std::string shown = check_name(name.text, "") ? " named " + shown_name(name.text) : "";
    return cursor_.error(
        name, ErrorCode::kUnknownAttribute,
        "there is no attribute" + shown + "; there are " + names() + did_you_mean(name.text, all_names()));
  }

  std::vector<std::string> all_names() const {
    std::vector<std::string> names;
    for (const Attribute& each : schema_.attributes()) names.push_back(each.name());
    return names;
  }

  // Returns the names as a query writes them, at most as many as fit into a message.
  std::string names() const {
    constexpr std::size_t kMaxBytes = 200;
    std::string text;
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const std::string name = shown_name(schema_[i].name());
      if (i > 0 && text.size() + name.size() > kMaxBytes) {
        return text + " and " + std::to_string(schema_.size() - i) + " more";
      }
      text += (i == 0 ? "" : ", ") + name;
    }
    return text;
  }

  // Reads a condition that begins with a name. The attribute's kind decides what may follow the name.
  Result<Query> named() {
    const Token& name = cursor_.peek();
    HEARSAY_TRY(const std::uint32_t index, attribute(name));
    const TokenKind next = cursor_.peek(1).kind;
    if (next == TokenKind::kIn || (next == TokenKind::kNot && cursor_.peek(2).kind == TokenKind::kIn))
      return membership(index);
    switch (schema_[index].kind()) {
      case AttributeKind::kCategorical: {
        if (is_equality(next)) return equality(index);
        return cursor_.error(
            name, ErrorCode::kQuerySyntax,
            "attribute " + shown_name(name.text) + " is categorical: compare it with `=` or `!=`, or use `in`");
      }
      case AttributeKind::kBoolean: {
        if (is_equality(next) && lone_value(2)) return equality(index);
        if (is_relation(next) || is_operator(next)) break;
        cursor_.take();
        return Query(Membership{index, {{1, 1}}});
      }
      case AttributeKind::kRange: {
        if (is_relation(next) || is_operator(next)) break;
        return cursor_.error(name, ErrorCode::kQuerySyntax,
                             "attribute " + shown_name(name.text) + " is not boolean: compare it, or use `in`");
      }
    }
    return comparison();
  }

  // Returns the index of a boolean's value that is written as in JSON: `true` or `false`. An attribute may have the
  // name `true` or `false`, too.
  static std::optional<std::uint32_t> truth(const Token& token) {
    if (token.kind != TokenKind::kName) return std::nullopt;
    if (token.text == "true") return 1;
    if (token.text == "false") return 0;
    return std::nullopt;
  }

  // Returns true if the token `ahead` places after the next one is the whole right side of a boolean's comparison.
  bool lone_value(std::size_t ahead) const {
    if (cursor_.peek(ahead).kind == TokenKind::kYes || cursor_.peek(ahead).kind == TokenKind::kNo) return true;
    if (truth(cursor_.peek(ahead)) && !schema_.find(cursor_.peek(ahead).text)) return true;
    if (cursor_.peek(ahead).kind == TokenKind::kMinus) ++ahead;
    return cursor_.peek(ahead).kind == TokenKind::kNumber && !is_operator(cursor_.peek(ahead + 1).kind);
  }

  // Reads: name ("=" | "!=") value.
  Result<Query> equality(std::uint32_t index) {
    cursor_.take();
    const bool negated = cursor_.take().kind == TokenKind::kNotEqual;
    HEARSAY_TRY(const std::uint32_t wanted, value(schema_[index]));
    ValueSet values{{wanted, wanted}};
    if (negated) values = complement(values, schema_[index].size());
    return Query(Membership{index, std::move(values)});
  }

  // Reads: name ["not"] "in" set.
  Result<Query> membership(std::uint32_t index) {
    cursor_.take();
    const bool negated = cursor_.accept(TokenKind::kNot);
    cursor_.take();
    HEARSAY_TRY(ValueSet values, set(schema_[index]));
    if (negated) values = complement(values, schema_[index].size());
    return Query(Membership{index, std::move(values)});
  }

  Result<ValueSet> set(const Attribute& of) {
    ValueSet values;
    if (!cursor_.accept(TokenKind::kLeftBrace)) {
      const bool integer = cursor_.peek().kind == TokenKind::kNumber || cursor_.peek().kind == TokenKind::kMinus;
      if (of.kind() != AttributeKind::kRange || !integer) return cursor_.syntax("expected `{`");
      HEARSAY_CHECK_OK(integers(of, true, values));
      return values;
    }
    if (cursor_.accept(TokenKind::kRightBrace)) return values;
    do {
      if (of.kind() == AttributeKind::kRange) {
        HEARSAY_CHECK_OK(integers(of, false, values));
      } else {
        HEARSAY_TRY(const std::uint32_t index, value(of));
        values.emplace_back(index, index);
      }
    } while (cursor_.accept(TokenKind::kComma));
    HEARSAY_CHECK_OK(cursor_.expect(TokenKind::kRightBrace, "}"));
    return make_value_set(std::move(values));
  }

  // Reads an integer or an interval, intersects it with the range, and adds it to `values`.
  Result<void> integers(const Attribute& of, bool interval_needed, ValueSet& values) {
    const Token& start = cursor_.peek();
    HEARSAY_TRY(const Int128 first, integer(of));
    Int128 last = first;
    if (interval_needed && cursor_.peek().kind != TokenKind::kDots) return cursor_.syntax("expected `..`");
    if (cursor_.accept(TokenKind::kDots)) {
      HEARSAY_TRY(last, integer(of));
      if (last < first)
        return cursor_.error(start, ErrorCode::kQuerySyntax,
                             "the interval's ends are in the wrong order: write the smaller one first");
    }
    const Int128 from = std::max<Int128>(first, of.min());
    const Int128 to = std::min<Int128>(last, of.max());
    if (from > to) return {};
    values.emplace_back(static_cast<std::uint32_t>(from - of.min()), static_cast<std::uint32_t>(to - of.min()));
    return {};
  }

  Result<Int128> integer(const Attribute& of) {
    const bool value_of_another_kind = cursor_.peek().kind <= TokenKind::kString ||
                                       cursor_.peek().kind == TokenKind::kYes || cursor_.peek().kind == TokenKind::kNo;
    if (cursor_.peek().kind != TokenKind::kNumber && value_of_another_kind) return unknown_value(cursor_.peek(), of);
    const bool negative = cursor_.accept(TokenKind::kMinus);
    if (cursor_.peek().kind != TokenKind::kNumber) return cursor_.syntax("expected an integer");
    const Int128 magnitude = cursor_.take().number;
    return negative ? -magnitude : magnitude;
  }

  Error unknown_value(const Token& token, const Attribute& of) const {
    return cursor_.error(token, ErrorCode::kUnknownValue,
                         "this is not a value of attribute " + shown_name(of.name()) + ", which must be " +
                             accepted_values(of, "yes or no") + did_you_mean(token.text, of.values()));
  }

  // Reads a value of a boolean or categorical attribute.
  Result<std::uint32_t> value(const Attribute& of) {
    const Token& token = cursor_.peek();
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
        index = boolean ? truth(token) : of.index_of(token.text);
        break;
      case TokenKind::kMinus:
        break;
      default:
        return cursor_.syntax("expected a value of attribute " + shown_name(of.name()));
    }
    if (!index) return unknown_value(token, of);
    cursor_.take();
    return *index;
  }

  // Reads: sum relation sum.
  Result<Query> comparison() {
    const Token& start = cursor_.peek();
    HEARSAY_TRY(const Sum left, sum());
    if (!is_relation(cursor_.peek().kind)) return cursor_.syntax("expected `>=`, `<=`, `>`, `<`, `=` or `!=`");
    const Relation relation = relation_of(cursor_.take().kind);
    HEARSAY_TRY(const Sum right, sum());
    auto query = compare(schema_, left, relation, right);
    if (!query) return cursor_.error(start, query.error().code, query.error().message);
    return query;
  }

  Result<Sum> sum() {
    Sum result;
    bool negative = false;
    while (true) {
      HEARSAY_CHECK_OK(term(negative, result));
      if (cursor_.accept(TokenKind::kPlus)) {
        negative = false;
      } else if (cursor_.accept(TokenKind::kMinus)) {
        negative = true;
      } else {
        return result;
      }
    }
  }

  // Reads ["-"] (number | name | number "*" name | name "*" number). Adds the term to `sum`, or subtracts it if
  // `negative`.
  Result<void> term(bool negative, Sum& sum) {
    if (cursor_.accept(TokenKind::kMinus)) negative = !negative;
    const Int128 sign = negative ? -1 : 1;
    if (cursor_.peek().kind == TokenKind::kNumber) {
      const Int128 number = sign * cursor_.take().number;
      if (!cursor_.accept(TokenKind::kStar)) {
        sum.constant += number;
        return {};
      }
      HEARSAY_TRY(const std::uint32_t factor, summand());
      sum.terms.push_back({number, factor});
      return {};
    }
    if (!is_name(cursor_.peek().kind)) return cursor_.syntax("expected a number or an attribute");
    HEARSAY_TRY(const std::uint32_t index, summand());
    Int128 number = 1;
    if (cursor_.accept(TokenKind::kStar)) {
      if (cursor_.peek().kind != TokenKind::kNumber) return cursor_.syntax("expected a number");
      number = cursor_.take().number;
    }
    sum.terms.push_back({sign * number, index});
    return {};
  }

  // Reads an attribute that may stand in a sum.
  Result<std::uint32_t> summand() {
    if (!is_name(cursor_.peek().kind)) return cursor_.syntax("expected an attribute");
    const Token& name = cursor_.take();
    HEARSAY_TRY(const std::uint32_t index, attribute(name));
    if (schema_[index].kind() == AttributeKind::kCategorical) {
      return cursor_.error(name, ErrorCode::kQuerySyntax,
                           "attribute " + shown_name(name.text) + " is categorical and cannot be in a sum");
    }
    return index;
  }

  const Schema& schema_;
  Cursor& cursor_;
};

}  // namespace

Result<Query> parse_condition(const Schema& schema, Cursor& cursor) {
  return ConditionParser(schema, cursor).condition();
}

}  // namespace hearsay::query
