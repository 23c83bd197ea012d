#include "hearsay/query.h"

#include <algorithm>
#include <unordered_set>

#include "common/base/try.h"
#include "common/query/lexer.h"
#include "common/query/parser.h"
#include "common/query/visit.h"

namespace hearsay {
namespace {

// Calls `visit` with every node of the tree and the node's depth. The root, `query`, has the depth `depth`.
template <class Visit>
void walk(const Query& query, std::size_t depth, const Visit& visit) {
  visit(query.node(), depth);
  const auto each = [&](const std::vector<Query>& operands) {
    for (const Query& operand : operands) walk(operand, depth + 1, visit);
  };
  std::visit(query::Visitor{
                 [](const query::Membership&) {},
                 [](const query::Linear&) {},
                 [&](const query::Not& n) { walk(*n.operand, depth + 1, visit); },
                 [&](const query::And& a) { each(a.operands); },
                 [&](const query::Or& o) { each(o.operands); },
                 [&](const query::AtLeast& a) { each(a.operands); },
                 [&](const query::DecisionList& d) {
                   for (const auto& item : d.items) walk(item.condition, depth + 1, visit);
                 },
             },
             query.node());
}

}  // namespace

namespace query {

bool Not::operator==(const Not& other) const { return *operand == *other.operand; }
bool And::operator==(const And& other) const { return operands == other.operands; }
bool Or::operator==(const Or& other) const { return operands == other.operands; }
bool AtLeast::operator==(const AtLeast& other) const { return count == other.count && operands == other.operands; }
bool DecisionList::operator==(const DecisionList& other) const {
  return otherwise == other.otherwise && items == other.items;
}

}  // namespace query

Query::Query(query::Node node) : node_(std::make_shared<const query::Node>(std::move(node))) {}

Query Query::rewritten(query::Node node, const Schema& schema) const {
  Query result(std::move(node));
  result.text_ = text_ != nullptr ? text_ : std::make_shared<const std::string>(to_string(schema));
  return result;
}

Result<Query> Query::parse(const Schema& schema, std::string_view text) {
  HEARSAY_TRY(Query result, query::parse_text(schema, text));
  const auto too_large = [&](const std::string& message) {
    return query::error_at(text, 0, ErrorCode::kQueryTooLarge, message);
  };
  std::size_t nodes = 0;
  std::size_t deepest = 0;
  walk(result, 1, [&](const query::Node&, std::size_t depth) {
    ++nodes;
    deepest = std::max(deepest, depth);
  });
  if (deepest > kMaxDepth) {
    return too_large("the query has more than " + std::to_string(kMaxDepth) +
                     " levels of conditions inside each other: use fewer parentheses");
  }
  if (nodes > kMaxNodes) {
    return too_large("the query has more than " + std::to_string(kMaxNodes) +
                     " conditions and connectives: ask for fewer conditions");
  }
  // The normal form can be longer than the text. After printing, parse() must accept the query again.
  if (result.to_string(schema).size() > kMaxTextBytes) {
    return too_large("the query's normal form is longer than " + std::to_string(kMaxTextBytes) +
                     " bytes: ask for fewer conditions");
  }
  result.text_ = std::make_shared<const std::string>(text);
  return result;
}

std::vector<std::uint32_t> Query::attributes() const {
  std::unordered_set<std::uint32_t> seen;
  walk(*this, 1, [&](const query::Node& node, std::size_t) {
    if (const auto* membership = std::get_if<query::Membership>(&node)) seen.insert(membership->attribute);
    if (const auto* linear = std::get_if<query::Linear>(&node)) {
      for (const auto& term : linear->terms) seen.insert(term.attribute);
    }
  });
  std::vector<std::uint32_t> result(seen.begin(), seen.end());
  std::sort(result.begin(), result.end());
  return result;
}

bool Query::operator==(const Query& other) const { return node_ == other.node_ || *node_ == *other.node_; }

}  // namespace hearsay
