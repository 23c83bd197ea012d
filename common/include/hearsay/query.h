// Counting queries: predicates on records, as an immutable syntax tree. The language is described in
// common/query/format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay {

class Query;

// A set of value indices of one attribute: disjoint, non-adjacent, ascending inclusive intervals.
using ValueSet = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

namespace query {

// The attribute's value lies in the set (neither empty nor everything is excluded: both are legal).
struct Membership {
  std::uint32_t attribute;
  ValueSet values;
  bool operator==(const Membership&) const = default;
};
struct Not {
  std::shared_ptr<const Query> operand;
  bool operator==(const Not&) const;
};
struct And {
  std::vector<Query> operands;  // at least 2
  bool operator==(const And&) const;
};
struct Or {
  std::vector<Query> operands;  // at least 2
  bool operator==(const Or&) const;
};
// At least `count` of the operands hold; 0 <= count <= number of operands + 1.
struct AtLeast {
  std::uint32_t count;
  std::vector<Query> operands;  // at least 1
  bool operator==(const AtLeast&) const;
};
// Σ coefficient·value >= bound, a boolean counting 0 or 1 and a range attribute its integer. Attributes are distinct.
struct Linear {
  struct Term {
    std::int64_t coefficient;  // non-zero, |coefficient| <= 2^31
    std::uint32_t attribute;
    std::int64_t origin = 0;  // the integer of value index 0, that is the attribute's min(); a value is origin + index
    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms;  // at least 2, in order of appearance
  std::int64_t bound;
  bool operator==(const Linear&) const = default;
};
// The label of the first item whose condition holds, else `otherwise`.
struct DecisionList {
  struct Item;
  std::vector<Item> items;  // at least 1
  bool otherwise;
  bool operator==(const DecisionList&) const;
};

using Node = std::variant<Membership, Not, And, Or, AtLeast, Linear, DecisionList>;

}  // namespace query

// A predicate on the records of one schema. Copying is cheap; safe to share between threads.
class Query {
 public:
  static constexpr std::size_t kMaxTextBytes = 1U << 16U;
  static constexpr std::size_t kMaxDepth = 64;
  static constexpr std::size_t kMaxNodes = 1U << 14U;

  // Errors: kQuerySyntax, kUnknownAttribute, kUnknownValue, kQueryTooLarge; messages begin with "line L, column C: ",
  // both counted from 1, columns in characters (code points). Cost: linear in the text.
  static Result<Query> parse(const Schema& schema, std::string_view text);

  const query::Node& node() const { return *node_; }

  // f(record). The record must be of the schema the query was parsed for.
  bool evaluate(const Record& record) const { return evaluate(record.values()); }
  // The same for bare value indices, one per attribute.
  bool evaluate(std::span<const std::uint32_t> values) const;
  // Text that parses to an equal query.
  std::string to_string(const Schema& schema) const;
  // The attributes that occur in the query, ascending.
  std::vector<std::uint32_t> attributes() const;

  bool operator==(const Query& other) const;

  // For the parser and for code that builds queries from parts that are already valid.
  explicit Query(query::Node node);

 private:
  std::shared_ptr<const query::Node> node_;
};

struct query::DecisionList::Item {
  Query condition;
  bool label;
  bool operator==(const Item&) const = default;
};

}  // namespace hearsay
