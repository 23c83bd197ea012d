#include "aggregator/compiler/coarse_query.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "aggregator/compiler/canonical.h"
#include "aggregator/compiler/cells.h"
#include "common/base/try.h"
#include "common/query/value_set.h"
#include "common/query/visit.h"
#include "common/schema/names.h"

namespace hearsay::compiler {
namespace {

Query joined_conditions(const Query& query, const Schema& schema);

// Among the operands of `and` or of `or`, joins the conditions on each attribute into one condition.
template <class Kind>
Query with_joined(const std::vector<Query>& operands, const Schema& schema) {
  constexpr bool kIsOr = std::is_same_v<Kind, query::Or>;
  std::vector<Query> others;
  std::vector<query::Membership> conditions;
  for (const Query& operand : operands) {
    Query joined = joined_conditions(operand, schema);
    const auto* condition = std::get_if<query::Membership>(&joined.node());
    if (condition == nullptr) {
      others.push_back(std::move(joined));
      continue;
    }
    const auto known = std::ranges::find(conditions, condition->attribute, &query::Membership::attribute);
    if (known == conditions.end()) {
      conditions.push_back(*condition);
      continue;
    }
    // a and b = not (not a or not b).
    const std::uint32_t size = schema[condition->attribute].size();
    const auto side = [size](const ValueSet& set) { return kIsOr ? set : query::complement(set, size); };
    ValueSet both = side(known->values);
    const ValueSet more = side(condition->values);
    both.insert(both.end(), more.begin(), more.end());
    known->values = side(query::make_value_set(std::move(both)));
  }
  for (query::Membership& condition : conditions) others.emplace_back(query::Node(std::move(condition)));
  return others.size() == 1 ? others.front() : Query(query::Node(Kind{std::move(others)}));
}

// Joins the conditions on one attribute, but not inside at_least() and decision lists. The query must be canonical.
Query joined_conditions(const Query& query, const Schema& schema) {
  return std::visit(query::Visitor{
                        [&](const query::Not& n) {
                          const Query operand = joined_conditions(*n.operand, schema);
                          const auto* condition = std::get_if<query::Membership>(&operand.node());
                          if (condition == nullptr)
                            return Query(query::Node(query::Not{std::make_shared<const Query>(operand)}));
                          const std::uint32_t size = schema[condition->attribute].size();
                          return Query(query::Node(
                              query::Membership{condition->attribute, query::complement(condition->values, size)}));
                        },
                        [&](const query::And& a) { return with_joined<query::And>(a.operands, schema); },
                        [&](const query::Or& o) { return with_joined<query::Or>(o.operands, schema); },
                        [&](const auto&) { return query; },
                    },
                    query.node());
}

std::uint32_t values_inside(const ValueSet& set, std::uint32_t first, std::uint32_t last) {
  auto next = std::ranges::lower_bound(set, first, {}, [](const auto& interval) { return interval.second; });
  std::uint32_t inside = 0;
  for (; next != set.end() && next->first <= last; ++next) {
    inside += std::min(last, next->second) - std::max(first, next->first) + 1;
  }
  return inside;
}

class CutAttribute {
 public:
  CutAttribute(const Attribute& attribute, const Attribute& coarse, const Cuts& cuts)
      : attribute_(attribute), coarse_(coarse), cuts_(cuts) {}

  Result<ValueSet> cells_of(const ValueSet& values) const {
    ValueSet cells;
    std::vector<std::optional<bool>> is_in(coarse_.size());
    for (std::size_t s = 0; s < cuts_.cells.size(); ++s) {
      const std::uint32_t first = s == 0 ? 0 : cuts_.starts[s - 1];
      const std::uint32_t last = (s < cuts_.starts.size() ? cuts_.starts[s] : attribute_.size()) - 1;
      const std::uint32_t inside = values_inside(values, first, last);
      const std::uint32_t cell = cuts_.cells[s];
      const bool all = inside > 0;
      if ((all && inside <= last - first) || is_in[cell].value_or(all) != all) return divided(cell);
      is_in[cell] = all;
      if (all) cells.emplace_back(cell, cell);
    }
    return query::make_value_set(std::move(cells));
  }

  // Returns, for example, "this task tells apart the values 0..299 and 300..999 of income, and no values within these".
  std::string told_apart() const {
    constexpr std::uint32_t kMostNamed = 8;
    std::string text = "this task tells apart";
    const std::uint32_t named = std::min(coarse_.size(), kMostNamed);
    for (std::uint32_t cell = 0; cell < named; ++cell) {
      const bool is_last = cell + 1 == coarse_.size();
      text += (cell == 0 ? " the values " : !is_last ? ", " : cell == 1 ? " and " : ", and ") + coarse_.values()[cell];
    }
    if (named < coarse_.size()) text += " and " + std::to_string(coarse_.size() - named) + " more sets";
    return text + " of " + shown_name(attribute_.name()) + ", and no values within these";
  }

 private:
  Error divided(std::uint32_t cell) const {
    return {ErrorCode::kQueryNotCovered,
            "the query divides " + coarse_.values()[cell] + " of " + shown_name(attribute_.name()) + "; " +
                told_apart() + ": ask for all or none of the values of each set, or plan a task for this query"};
  }

  const Attribute& attribute_;
  const Attribute& coarse_;
  const Cuts& cuts_;
};

class Coarser {
 public:
  Coarser(const Schema& schema, const Coarsening& coarsening) : schema_(schema), coarsening_(coarsening) {}

  Result<Query> of(const Query& query) const {
    HEARSAY_TRY(query::Node node, std::visit(*this, query.node()));
    return Query(std::move(node));
  }

  Result<query::Node> operator()(const query::Membership& node) const {
    const Cuts* cuts = coarsening_.cuts_of(node.attribute);
    if (cuts == nullptr) return query::Node(node);
    HEARSAY_TRY(ValueSet cells, cut(*cuts).cells_of(node.values));
    return query::Node(query::Membership{node.attribute, std::move(cells)});
  }
  Result<query::Node> operator()(const query::Linear& node) const {
    for (const query::Linear::Term& term : node.terms) {
      const Cuts* cuts = coarsening_.cuts_of(term.attribute);
      if (cuts == nullptr) continue;
      return Error{ErrorCode::kQueryNotCovered, "a sum needs every value of " +
                                                    shown_name(schema_[term.attribute].name()) + "; " +
                                                    cut(*cuts).told_apart() + ": plan a task for this query"};
    }
    return query::Node(node);
  }
  Result<query::Node> operator()(const query::Not& node) const {
    HEARSAY_TRY(const Query operand, of(*node.operand));
    return query::Node(query::Not{std::make_shared<const Query>(operand)});
  }
  Result<query::Node> operator()(const query::And& node) const {
    HEARSAY_TRY(std::vector<Query> operands, all(node.operands));
    return query::Node(query::And{std::move(operands)});
  }
  Result<query::Node> operator()(const query::Or& node) const {
    HEARSAY_TRY(std::vector<Query> operands, all(node.operands));
    return query::Node(query::Or{std::move(operands)});
  }
  Result<query::Node> operator()(const query::AtLeast& node) const {
    HEARSAY_TRY(std::vector<Query> operands, all(node.operands));
    return query::Node(query::AtLeast{node.count, std::move(operands)});
  }
  Result<query::Node> operator()(const query::DecisionList& node) const {
    query::DecisionList list{{}, node.otherwise};
    for (const query::DecisionList::Item& item : node.items) {
      HEARSAY_TRY(Query condition, of(item.condition));
      list.items.push_back({std::move(condition), item.label});
    }
    return query::Node(std::move(list));
  }

 private:
  CutAttribute cut(const Cuts& cuts) const {
    return {schema_[cuts.attribute], coarsening_.schema()[cuts.attribute], cuts};
  }
  Result<std::vector<Query>> all(const std::vector<Query>& operands) const {
    std::vector<Query> result;
    for (const Query& operand : operands) {
      HEARSAY_TRY(Query one, of(operand));
      result.push_back(std::move(one));
    }
    return result;
  }

  const Schema& schema_;
  const Coarsening& coarsening_;
};

// Returns nothing if every value is a cell of its own, or if the cells have more runs of values than a task may list.
std::optional<Cuts> cuts_of(const Cells& cells) {
  if (cells.size.size() == cells.cell_of.size()) return std::nullopt;
  Cuts cuts{cells.attribute, {}, {0}};
  for (std::uint32_t value = 1; value < cells.cell_of.size(); ++value) {
    if (cells.cell_of[value] == cells.cell_of[value - 1]) continue;
    cuts.starts.push_back(value);
    cuts.cells.push_back(cells.cell_of[value]);
  }
  if (cuts.starts.size() > Cuts::kMaxStarts) return std::nullopt;
  return cuts;
}

}  // namespace

Result<Query> coarse_query(const Query& query, const Schema& schema, const Coarsening& coarsening) {
  HEARSAY_TRY(const Query coarse, Coarser(schema, coarsening).of(joined_conditions(canonical(query, schema), schema)));
  return query.rewritten(coarse.node(), schema);
}

std::vector<Cuts> cuts_for(const std::vector<Query>& queries, const Schema& schema, Work& work) {
  std::vector<Query> joined;
  for (const Query& query : queries) joined.push_back(joined_conditions(canonical(query, schema), schema));
  std::vector<Cuts> all;
  for (const Cells& cells : distinguished_cells(Query(query::Node(query::Or{std::move(joined)})), schema, work)) {
    if (schema[cells.attribute].kind() != AttributeKind::kRange) continue;
    if (std::optional<Cuts> cuts = cuts_of(cells)) all.push_back(*std::move(cuts));
  }
  return all;
}

}  // namespace hearsay::compiler
