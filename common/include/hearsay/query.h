// Counting queries: "how many people satisfy this condition?" A query is the condition, held as a syntax tree.
// common/query/format.md describes the language.
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

// A set of value indices of one attribute, as inclusive intervals. The intervals ascend and neither overlap nor touch.
using ValueSet = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// The nodes of the syntax tree.
namespace query {

// True if the attribute's value lies in the set. The set may be empty, and may hold all values.
struct Membership {
  std::uint32_t attribute;
  ValueSet values;
  bool operator==(const Membership&) const = default;
};
// True if the operand is false.
struct Not {
  std::shared_ptr<const Query> operand;
  bool operator==(const Not&) const;
};
// True if all operands are true.
struct And {
  std::vector<Query> operands;  // at least 2
  bool operator==(const And&) const;
};
// True if at least one operand is true.
struct Or {
  std::vector<Query> operands;  // at least 2
  bool operator==(const Or&) const;
};
// True if at least `count` operands are true. `count` is at most the number of operands plus 1.
struct AtLeast {
  std::uint32_t count;
  std::vector<Query> operands;  // at least 1
  bool operator==(const AtLeast&) const;
};
// True if Σ coefficient·value is at least `bound`. A boolean attribute counts as 0 or 1, and a range as its integer. No
// attribute occurs twice.
struct Linear {
  struct Term {
    std::int64_t coefficient;  // not 0; from -2^31 to 2^31
    std::uint32_t attribute;
    std::int64_t origin = 0;  // the attribute's min(); the value is origin + value index
    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms;  // at least 2, in order of appearance
  std::int64_t bound;
  bool operator==(const Linear&) const = default;
};
// Has the truth value `label` of the first item whose condition is true, or `otherwise` if no condition is true.
struct DecisionList {
  struct Item;
  std::vector<Item> items;  // at least 1
  bool otherwise;
  bool operator==(const DecisionList&) const;
};

using Node = std::variant<Membership, Not, And, Or, AtLeast, Linear, DecisionList>;

}  // namespace query

// A condition on the records of one schema. Copies are cheap.
//
// Thread-safety: any number of threads may use one query.
class Query {
 public:
  static constexpr std::size_t kMaxTextBytes = 1U << 16U;  // the most bytes of a query, as written and as printed
  static constexpr std::size_t kMaxDepth = 64;             // the deepest nesting
  static constexpr std::size_t kMaxNodes = 1U << 14U;      // the most nodes of the syntax tree

  // Reads a query. Errors: kQuerySyntax, kUnknownAttribute, kUnknownValue, kQueryTooLarge. A message begins with "line
  // L, column C: ". Lines and columns count from 1, and columns are in characters (code points).
  static Result<Query> parse(const Schema& schema, std::string_view text);

  const query::Node& node() const { return *node_; }

  // Returns true if the record satisfies the query. The record must be of the schema that the query was parsed for.
  bool evaluate(const Record& record) const { return evaluate(record.values()); }
  // Does the same for a record that is given by its value indices, one for each attribute.
  bool evaluate(std::span<const std::uint32_t> values) const;
  // Returns text that parses to an equal query, in normal form. For example, `age >= 120` becomes `age = 120` if no age
  // is above 120.
  std::string to_string(const Schema& schema) const;
  // Returns the text that parse() read, to show to the person who asked. For a query that was made from a node, returns
  // to_string().
  std::string as_written(const Schema& schema) const { return text_ != nullptr ? *text_ : to_string(schema); }
  // Returns the attributes that occur in the query, in ascending order.
  std::vector<std::uint32_t> attributes() const;

  bool operator==(const Query& other) const;

  // Makes a query from a valid node. The parser uses this constructor, and so does code that combines queries.
  explicit Query(query::Node node);
  // Makes a query from a valid node that means the same as this query, but in another schema. `schema` is the schema of
  // this query. as_written() of the new query returns the text of this query.
  Query rewritten(query::Node node, const Schema& schema) const;

 private:
  std::shared_ptr<const query::Node> node_;
  std::shared_ptr<const std::string> text_;  // the text that parse() read; null for a query made from a node
};

struct query::DecisionList::Item {
  Query condition;
  bool label;
  bool operator==(const Item&) const = default;
};

}  // namespace hearsay
