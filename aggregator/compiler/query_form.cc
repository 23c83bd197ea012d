#include "aggregator/compiler/query_form.h"

#include <algorithm>
#include <optional>

#include "aggregator/compiler/threshold_form.h"
#include "common/query/value_set.h"
#include "common/query/visit.h"

namespace hearsay::compiler {
namespace {

std::vector<QueryForm> analyse_all(const std::vector<Query>& queries, const Schema& schema, Work& work) {
  std::vector<QueryForm> forms;
  forms.reserve(queries.size());
  for (const Query& query : queries) forms.push_back(analyse(query, schema, work));
  return forms;
}

// Returns true if the list gives `label` when one of its predicates holds, and the opposite otherwise.
bool says_throughout(const PredicateList& list, bool label) {
  return list.otherwise != label &&
         std::all_of(list.items.begin(), list.items.end(), [&](const auto& item) { return item.label == label; });
}

// If the form is a disjunction of predicates, appends these predicates as items with `label`. Otherwise returns false.
bool append_disjuncts(const QueryForm& form, bool label, std::vector<PredicateList::Item>& items) {
  if (const auto* predicate = std::get_if<Predicate>(&form)) {
    items.push_back({*predicate, label});
    return true;
  }
  const auto* list = std::get_if<PredicateList>(&form);
  if (list == nullptr || !says_throughout(*list, true)) return false;
  for (const auto& item : list->items) items.push_back({item.predicate, label});
  return true;
}

QueryForm negation(QueryForm form, const Schema& schema, Work& work) {
  if (auto* constant = std::get_if<bool>(&form)) {
    *constant = !*constant;
  } else if (auto* predicate = std::get_if<Predicate>(&form)) {
    predicate->values = query::complement(predicate->values, schema[predicate->attribute].size());
  } else if (auto* list = std::get_if<PredicateList>(&form)) {
    work.spend(list->items.size());
    for (auto& item : list->items) item.label = !item.label;
    list->otherwise = !list->otherwise;
  } else if (auto* threshold = std::get_if<PredicateThreshold>(&form)) {
    threshold->negated = !threshold->negated;
  }
  return form;
}

// Builds a decision list from its end. The builder holds the rest of the list: a constant, or items in reverse order,
// or a form that is no list.
class ListBuilder {
 public:
  ListBuilder(bool otherwise, const Schema& schema, Work& work) : otherwise_(otherwise), schema_(schema), work_(work) {}

  void prepend(QueryForm condition, bool label) {
    if (const auto* constant = std::get_if<bool>(&condition)) {
      if (*constant) restart(label);
      return;
    }
    if (whole_) {
      whole_ = Unstructured{};
      return;
    }
    if (reversed_.empty()) {
      if (label != otherwise_) begin(std::move(condition), label);
      return;
    }
    std::vector<PredicateList::Item> disjuncts;
    if (append_disjuncts(condition, label, disjuncts)) {
      reversed_.insert(reversed_.end(), disjuncts.rbegin(), disjuncts.rend());
    } else {
      whole_ = Unstructured{};
    }
  }

  QueryForm finish() {
    if (whole_) return *std::move(whole_);
    return normalise({{reversed_.rbegin(), reversed_.rend()}, otherwise_}, schema_, work_);
  }

 private:
  // Drops the rest of the list, since an item that always holds decides all records.
  void restart(bool label) {
    reversed_.clear();
    whole_.reset();
    otherwise_ = label;
  }

  // Starts the list. The rest is the constant that differs from `label`, so the list is the condition or its negation.
  void begin(QueryForm condition, bool label) {
    if (auto* predicate = std::get_if<Predicate>(&condition)) {
      reversed_.push_back({std::move(*predicate), label});
      return;
    }
    QueryForm form = label ? std::move(condition) : negation(std::move(condition), schema_, work_);
    if (auto* list = std::get_if<PredicateList>(&form)) {
      reversed_.assign(list->items.rbegin(), list->items.rend());
      otherwise_ = list->otherwise;
    } else {
      whole_ = std::move(form);
    }
  }

  std::vector<PredicateList::Item> reversed_;
  bool otherwise_;
  std::optional<QueryForm> whole_;
  const Schema& schema_;
  Work& work_;
};

// Returns the form of "some operand holds". The form is a list if all operands are disjunctions, except that one
// operand may be another list, which becomes the end of the new list.
QueryForm disjunction(std::vector<QueryForm> operands, const Schema& schema, Work& work) {
  const auto is_disjunction = [](const QueryForm& form) {
    const auto* list = std::get_if<PredicateList>(&form);
    return std::holds_alternative<bool>(form) || std::holds_alternative<Predicate>(form) ||
           (list != nullptr && says_throughout(*list, true));
  };
  std::stable_partition(operands.begin(), operands.end(), is_disjunction);
  ListBuilder list(false, schema, work);
  for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) list.prepend(std::move(*operand), true);
  return list.finish();
}

QueryForm conjunction(std::vector<QueryForm> operands, const Schema& schema, Work& work) {
  for (QueryForm& operand : operands) operand = negation(std::move(operand), schema, work);
  return negation(disjunction(std::move(operands), schema, work), schema, work);
}

QueryForm decision_list(const query::DecisionList& node, const Schema& schema, Work& work) {
  ListBuilder list(node.otherwise, schema, work);
  for (auto item = node.items.rbegin(); item != node.items.rend(); ++item) {
    list.prepend(analyse(item->condition, schema, work), item->label);
  }
  return list.finish();
}

QueryForm at_least(const query::AtLeast& node, const Schema& schema, Work& work) {
  std::vector<QueryForm> open;  // operands that are not constant
  std::int64_t count = node.count;
  for (QueryForm& form : analyse_all(node.operands, schema, work)) {
    if (const auto* constant = std::get_if<bool>(&form)) {
      count -= *constant ? 1 : 0;
    } else {
      open.push_back(std::move(form));
    }
  }
  const auto size = static_cast<std::int64_t>(open.size());
  if (count <= 0) return true;
  if (count > size) return false;
  if (count == 1) return disjunction(std::move(open), schema, work);
  if (count == size) return conjunction(std::move(open), schema, work);
  WeightedSum sum(schema, work);
  for (const QueryForm& form : open) {
    const auto* predicate = std::get_if<Predicate>(&form);
    if (predicate == nullptr) return Unstructured{};
    sum.add_indicator(*predicate);
  }
  return std::move(sum).at_least(count);
}

QueryForm linear(const query::Linear& node, const Schema& schema, Work& work) {
  WeightedSum sum(schema, work);
  for (const auto& term : node.terms) sum.add_value(term);
  return std::move(sum).at_least(node.bound);
}

// Returns the list as a predicate. All items must be on one attribute.
Predicate fold(const PredicateList& list, const Schema& schema, Work& work) {
  const std::uint32_t attribute = list.items.front().predicate.attribute;
  Region region(schema, work);
  ValueSet yes;
  for (const auto& [predicate, label] : list.items) {
    const ValueSet decided = region.satisfying(predicate);
    if (label) yes.insert(yes.end(), decided.begin(), decided.end());
    region.remove(predicate);
  }
  if (list.otherwise) yes.insert(yes.end(), region.values(attribute).begin(), region.values(attribute).end());
  return {attribute, query::make_value_set(std::move(yes))};
}

}  // namespace

QueryForm normalise(PredicateList list, const Schema& schema, Work& work) {
  PredicateList result{{}, list.otherwise};
  Region region(schema, work);
  for (auto& item : list.items) {
    const ValueSet decided = region.satisfying(item.predicate);
    if (decided.empty()) continue;
    if (decided == region.values(item.predicate.attribute)) {
      result.otherwise = item.label;
      break;
    }
    region.remove(item.predicate);
    result.items.push_back(std::move(item));
  }
  while (!result.items.empty() && result.items.back().label == result.otherwise) result.items.pop_back();
  if (result.items.empty()) return result.otherwise;
  const std::uint32_t first = result.items.front().predicate.attribute;
  const bool one_attribute = std::all_of(result.items.begin(), result.items.end(),
                                         [&](const auto& item) { return item.predicate.attribute == first; });
  if (one_attribute) return fold(result, schema, work);
  return result;
}

QueryForm analyse(const Query& query, const Schema& schema, Work& work) {
  return std::visit(
      query::Visitor{
          [&](const query::Membership& m) -> QueryForm {
            if (m.values.empty()) return false;
            if (query::count(m.values) == schema[m.attribute].size()) return true;
            return m;
          },
          [&](const query::Not& n) { return negation(analyse(*n.operand, schema, work), schema, work); },
          [&](const query::And& a) { return conjunction(analyse_all(a.operands, schema, work), schema, work); },
          [&](const query::Or& o) { return disjunction(analyse_all(o.operands, schema, work), schema, work); },
          [&](const query::AtLeast& a) { return at_least(a, schema, work); },
          [&](const query::Linear& l) { return linear(l, schema, work); },
          [&](const query::DecisionList& d) { return decision_list(d, schema, work); },
      },
      query.node());
}

const ValueSet& Region::values(std::uint32_t attribute) {
  return values_.try_emplace(attribute, ValueSet{{0, schema_[attribute].size() - 1}}).first->second;
}

ValueSet Region::satisfying(const Predicate& predicate) {
  work_.spend(kStepsPerInterval * (values(predicate.attribute).size() + predicate.values.size()));
  return intersection(values(predicate.attribute), predicate.values);
}

void Region::remove(const Predicate& predicate) {
  work_.spend(kStepsPerInterval * (values(predicate.attribute).size() + predicate.values.size()));
  const ValueSet failing = query::complement(predicate.values, schema_[predicate.attribute].size());
  ValueSet left = intersection(values(predicate.attribute), failing);
  values_[predicate.attribute] = std::move(left);
}

ValueSet intersection(const ValueSet& a, const ValueSet& b) {
  ValueSet both;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const std::uint32_t first = std::max(i->first, j->first);
    const std::uint32_t last = std::min(i->second, j->second);
    if (first <= last) both.emplace_back(first, last);
    if (i->second < j->second) {
      ++i;
    } else {
      ++j;
    }
  }
  return both;
}

}  // namespace hearsay::compiler
