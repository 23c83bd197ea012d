#include "aggregator/compiler/canonical.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/query/value_set.h"
#include "common/query/visit.h"

namespace hearsay::compiler {
namespace {

std::vector<Query> sorted(std::vector<Query> operands, const Schema& schema, bool repeats_count) {
  std::vector<std::pair<std::string, Query>> printed;
  printed.reserve(operands.size());
  for (Query& operand : operands) {
    std::string text = operand.to_string(schema);
    printed.emplace_back(std::move(text), std::move(operand));
  }
  const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  std::stable_sort(printed.begin(), printed.end(), before);
  if (!repeats_count) printed.erase(std::unique(printed.begin(), printed.end(), same), printed.end());
  operands.clear();
  for (auto& [text, operand] : printed) operands.push_back(std::move(operand));
  return operands;
}

template <class Kind>
Query joined(const std::vector<Query>& operands, const Schema& schema) {
  std::vector<Query> flat;
  for (const Query& operand : operands) {
    Query form = canonical(operand, schema);
    if (const auto* same = std::get_if<Kind>(&form.node())) {
      flat.insert(flat.end(), same->operands.begin(), same->operands.end());
    } else {
      flat.push_back(std::move(form));
    }
  }
  flat = sorted(std::move(flat), schema, false);
  return flat.size() == 1 ? flat.front() : Query(query::Node(Kind{std::move(flat)}));
}

Query at_least(const query::AtLeast& node, const Schema& schema) {
  if (node.operands.size() == 1 && node.count == 1) return canonical(node.operands.front(), schema);
  if (node.count == 1) return joined<query::Or>(node.operands, schema);
  if (node.count == node.operands.size()) return joined<query::And>(node.operands, schema);
  std::vector<Query> operands;
  for (const Query& operand : node.operands) operands.push_back(canonical(operand, schema));
  return Query(query::Node(query::AtLeast{node.count, sorted(std::move(operands), schema, true)}));
}

Query negated(const query::Not& node, const Schema& schema) {
  const Query operand = canonical(*node.operand, schema);
  if (const auto* twice = std::get_if<query::Not>(&operand.node())) return *twice->operand;
  if (const auto* condition = std::get_if<query::Membership>(&operand.node())) {
    const std::uint32_t size = schema[condition->attribute].size();
    return Query(query::Node(query::Membership{condition->attribute, query::complement(condition->values, size)}));
  }
  return Query(query::Node(query::Not{std::make_shared<const Query>(operand)}));
}

Query sum(query::Linear node) {
  std::ranges::sort(node.terms, {}, &query::Linear::Term::attribute);
  return Query(query::Node(std::move(node)));
}

Query decision_list(query::DecisionList node, const Schema& schema) {
  for (auto& item : node.items) item.condition = canonical(item.condition, schema);
  return Query(query::Node(std::move(node)));
}

}  // namespace

Query canonical(const Query& query, const Schema& schema) {
  return std::visit(query::Visitor{
                        [&](const query::Membership&) { return query; },
                        [&](const query::Linear& l) { return sum(l); },
                        [&](const query::Not& n) { return negated(n, schema); },
                        [&](const query::And& a) { return joined<query::And>(a.operands, schema); },
                        [&](const query::Or& o) { return joined<query::Or>(o.operands, schema); },
                        [&](const query::AtLeast& a) { return at_least(a, schema); },
                        [&](const query::DecisionList& d) { return decision_list(d, schema); },
                    },
                    query.node());
}

}  // namespace hearsay::compiler
