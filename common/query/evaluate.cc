#include <algorithm>

#include "common/base/int128.h"
#include "common/query/value_set.h"
#include "common/query/visit.h"
#include "hearsay/query.h"

namespace hearsay {
namespace {

using Values = std::span<const std::uint32_t>;

bool at_least(const query::AtLeast& node, Values values) {
  std::uint32_t held = 0;
  for (const Query& operand : node.operands) {
    if (held >= node.count) break;
    if (operand.evaluate(values)) ++held;
  }
  return held >= node.count;
}

// The sum fits 128 bits: it has at most 4096 terms with |coefficient·value| <= 2^31·2^53.
bool linear(const query::Linear& node, Values values) {
  Int128 sum = 0;
  for (const auto& [coefficient, attribute, origin] : node.terms)
    sum += Int128{coefficient} * (origin + values[attribute]);
  return sum >= node.bound;
}

bool decision_list(const query::DecisionList& node, Values values) {
  for (const auto& [condition, label] : node.items) {
    if (condition.evaluate(values)) return label;
  }
  return node.otherwise;
}

}  // namespace

bool Query::evaluate(std::span<const std::uint32_t> values) const {
  const auto holds = [values](const Query& operand) { return operand.evaluate(values); };
  return std::visit(query::Visitor{
                        [&](const query::Membership& m) { return query::contains(m.values, values[m.attribute]); },
                        [&](const query::Not& n) { return !n.operand->evaluate(values); },
                        [&](const query::And& a) { return std::all_of(a.operands.begin(), a.operands.end(), holds); },
                        [&](const query::Or& o) { return std::any_of(o.operands.begin(), o.operands.end(), holds); },
                        [&](const query::AtLeast& a) { return at_least(a, values); },
                        [&](const query::Linear& l) { return linear(l, values); },
                        [&](const query::DecisionList& d) { return decision_list(d, values); },
                    },
                    *node_);
}

}  // namespace hearsay
