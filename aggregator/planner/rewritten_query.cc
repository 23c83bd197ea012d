#include "aggregator/planner/rewritten_query.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace hearsay::planner {
namespace {

ValueSet halved(const ValueSet& values) {
  ValueSet result;
  for (const auto& [least, most] : values) {
    if (!result.empty() && least / 2 <= result.back().second + 1) {
      result.back().second = most / 2;
    } else {
      result.emplace_back(least / 2, most / 2);
    }
  }
  return result;
}

struct Rewriter {
  const Rewriting& rewriting;

  std::optional<Query> operator()(const query::Membership& node) const {
    const auto place = rewriting.place[node.attribute];
    if (!place) return std::nullopt;
    return Query(query::Membership{*place, rewriting.coarser == node.attribute ? halved(node.values) : node.values});
  }

  std::optional<Query> operator()(const query::Not& node) const {
    auto operand = rewritten(*node.operand, rewriting);
    if (!operand) return std::nullopt;
    return Query(query::Not{std::make_shared<const Query>(*std::move(operand))});
  }

  std::optional<Query> operator()(const query::And& node) const {
    auto operands = all(node.operands);
    if (!operands) return std::nullopt;
    return Query(query::And{*std::move(operands)});
  }

  std::optional<Query> operator()(const query::Or& node) const {
    auto operands = all(node.operands);
    if (!operands) return std::nullopt;
    return Query(query::Or{*std::move(operands)});
  }

  std::optional<Query> operator()(const query::AtLeast& node) const {
    auto operands = all(node.operands);
    if (!operands) return std::nullopt;
    return Query(query::AtLeast{node.count, *std::move(operands)});
  }

  std::optional<Query> operator()(const query::Linear& node) const {
    query::Linear result = node;
    for (query::Linear::Term& term : result.terms) {
      const auto place = rewriting.place[term.attribute];
      if (!place || rewriting.coarser == term.attribute) return std::nullopt;
      term.attribute = *place;
    }
    return Query(std::move(result));
  }

  std::optional<Query> operator()(const query::DecisionList& node) const {
    query::DecisionList result{{}, node.otherwise};
    for (const query::DecisionList::Item& item : node.items) {
      auto condition = rewritten(item.condition, rewriting);
      if (!condition) return std::nullopt;
      result.items.push_back({*std::move(condition), item.label});
    }
    return Query(std::move(result));
  }

 private:
  std::optional<std::vector<Query>> all(const std::vector<Query>& operands) const {
    std::vector<Query> result;
    for (const Query& operand : operands) {
      auto one = rewritten(operand, rewriting);
      if (!one) return std::nullopt;
      result.push_back(*std::move(one));
    }
    return result;
  }
};

}  // namespace

std::optional<Query> rewritten(const Query& query, const Rewriting& rewriting) {
  return std::visit(Rewriter{rewriting}, query.node());
}

// The name and the values come from a valid attribute, so value() holds an attribute.
Attribute coarsened(const Attribute& attribute) {
  const std::uint32_t size = (attribute.size() + 1) / 2;
  if (attribute.kind() == AttributeKind::kRange) {
    return Attribute::range(attribute.name(), attribute.min(), attribute.min() + size - 1).value();
  }
  const std::vector<std::string>& names = attribute.values();
  std::vector<std::string> kept;
  for (std::uint32_t v = 0; v < size; ++v) kept.push_back(names[2 * v]);
  return Attribute::categorical(attribute.name(), std::move(kept)).value();
}

}  // namespace hearsay::planner
