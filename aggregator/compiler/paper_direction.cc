#include "aggregator/compiler/paper_direction.h"

#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "common/query/value_set.h"
#include "common/query/visit.h"
#include "common/schema/names.h"

namespace hearsay::compiler {
namespace {

// A literal holds if its coordinate is +1. If `negated`, the literal holds if the coordinate is -1.
struct Literal {
  std::uint32_t coordinate;
  bool negated;
};

Error not_covered(const std::string& why) {
  return {ErrorCode::kQueryNotCovered, "the paper's weights are not defined for this query: " + why};
}

// A double holds every integer up to 2^53 exactly.
constexpr double kMaxWeightSum = 9'007'199'254'740'992;

// The inequality Σ weight·z >= threshold. Each variable z in {0,1} is a literal, z = (1 ± a_j)/2.
class ZeroOneSum {
 public:
  void add(const Literal& literal, double weight) {
    magnitude_ += std::abs(weight);
    weights_[literal.coordinate] += literal.negated ? -weight : weight;
    sum_ += weight;
  }

  // Writes the inequality in the coordinates. Doubled, and with the constants on the right, the inequality is Σ
  // ±weight·a_j >= 2·threshold - Σ weight.
  Result<WeightVector> in_signs(double threshold) const {
    if (!(magnitude_ <= kMaxWeightSum)) return not_covered("its label changes so often that the weights exceed 2^53");
    WeightVector result;
    for (const auto& [coordinate, weight] : weights_) {
      if (weight != 0) result.weights.push_back({coordinate, weight});
    }
    result.threshold = 2 * threshold - sum_;
    return result;
  }

 private:
  std::map<std::uint32_t, double> weights_;
  double sum_ = 0;
  double magnitude_ = 0;
};

// Returns a disjunction of literals that agrees with the predicate on the values in `open`. Each literal holds for some
// of these values. Returns nothing if there is no such disjunction.
std::optional<std::vector<Literal>> as_clause(const Predicate& predicate, const ValueSet& open,
                                              const Attribute& attribute, const AttributeBlock& block) {
  const auto at = [&](std::size_t j, bool negated) {
    return Literal{static_cast<std::uint32_t>(block.offset + j), negated};
  };
  const ValueSet& values = predicate.values;
  if (attribute.kind() == AttributeKind::kBoolean) return {{at(0, values.front().first == 0)}};
  std::vector<Literal> clause;
  if (attribute.kind() == AttributeKind::kCategorical) {
    const ValueSet others = query::complement(values, attribute.size());
    if (query::count(others) == 1 && query::count(values) > 1) return {{at(others.front().first, true)}};
    for (const auto& [first, last] : intersection(values, open)) {
      for (std::uint32_t v = first; v <= last; ++v) clause.push_back(at(v, false));
    }
    return clause;
  }
  for (const auto& [first, last] : values) {
    if (intersection({{first, last}}, open).empty()) continue;
    if (first == 0) {
      clause.push_back(at(last, true));  // value < last + 1
    } else if (last + 1 == attribute.size()) {
      clause.push_back(at(first - 1, false));  // value >= first
    } else {
      return std::nullopt;
    }
  }
  return clause;
}

// The decision list (25) of the paper, with one literal in each item.
struct LiteralList {
  struct Item {
    Literal literal;
    bool label;
  };
  std::vector<Item> items;
  bool otherwise;
};

Result<LiteralList> expand(const PredicateList& list, const Schema& schema, const Literals& literals, Work& work) {
  LiteralList result{{}, list.otherwise};
  Region region(schema, work);
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    Predicate predicate = list.items[i].predicate;
    bool label = list.items[i].label;
    const Attribute& attribute = schema[predicate.attribute];
    const AttributeBlock& block = literals.blocks()[predicate.attribute];
    auto clause = as_clause(predicate, region.values(predicate.attribute), attribute, block);
    if (!clause && i + 1 == list.items.size()) {
      // "If p then b, else ¬b" says the same as "if ¬p then ¬b, else b".
      predicate.values = query::complement(predicate.values, attribute.size());
      label = !label;
      result.otherwise = !result.otherwise;
      clause = as_clause(predicate, region.values(predicate.attribute), attribute, block);
    }
    if (!clause) {
      return not_covered("its condition on " + shown_name(attribute.name()) +
                         " is neither a literal nor a disjunction of literals");
    }
    for (const Literal& literal : *clause) result.items.push_back({literal, label});
    region.remove(predicate);
  }
  return result;
}

// Computes the weights of Theorem 9, beginning at the end of the list. The items between two label changes form the
// segments I_1, I_2, … of k_1, k_2, … literals. W_1 = 1, and W_{j+1} = Σ_{i<=j} k_i·W_i = (k_j + 1)·W_j, with k_0 = W_0
// = 1. A literal of segment j weighs W_j if its label is 1, else -W_j. So the first literal that holds outweighs all
// later literals of the opposite label.
Result<WeightVector> separate(const LiteralList& list) {
  ZeroOneSum sum;
  double weight = 1;   // W_j
  double members = 0;  // literals of I_j so far
  bool label = list.items.back().label;
  for (auto item = list.items.rbegin(); item != list.items.rend(); ++item) {
    if (item->label != label) {
      weight *= members + 1;
      members = 0;
      label = item->label;
    }
    ++members;
    sum.add(item->literal, label ? weight : -weight);
  }
  return sum.in_signs(list.otherwise ? -0.5 : 0.5);
}

// For a boolean or an integer range, each difference of the weights of neighbouring values becomes the weight of one
// literal. The weight of the first value moves into the bound.
Result<WeightVector> separate(const PredicateThreshold& threshold, const Schema& schema, const Literals& literals) {
  const double sign = threshold.negated ? -1 : 1;
  double bound = static_cast<double>(threshold.bound) - 0.5;
  ZeroOneSum sum;
  for (const auto& [attribute, weight] : threshold.terms) {
    const auto offset = static_cast<std::uint32_t>(literals.blocks()[attribute].offset);
    if (schema[attribute].kind() == AttributeKind::kCategorical) {
      for (std::uint32_t v = 0; v < weight.size(); ++v) {
        sum.add({offset + v, false}, sign * static_cast<double>(weight[v]));
      }
      continue;
    }
    bound -= static_cast<double>(weight[0]);
    for (std::uint32_t t = 0; t + 1 < weight.size(); ++t) {
      const double step = static_cast<double>(weight[t + 1]) - static_cast<double>(weight[t]);
      sum.add({offset + t, false}, sign * step);
    }
  }
  return sum.in_signs(sign * bound);
}

}  // namespace

Result<WeightVector> separator(const QueryForm& form, const Schema& schema, const Literals& literals, Work& work) {
  const auto separate_list = [&](const PredicateList& list) -> Result<WeightVector> {
    auto expanded = expand(list, schema, literals, work);
    if (!expanded) return expanded.error();
    return separate(*expanded);
  };
  return std::visit(
      query::Visitor{
          [](bool) -> Result<WeightVector> { return not_covered("it is constant"); },
          [&](const Predicate& p) {
            return separate_list(PredicateList{{{p, true}}, false});
          },
          [&](const PredicateList& list) { return separate_list(list); },
          [&](const PredicateThreshold& threshold) { return separate(threshold, schema, literals); },
          [](const Unstructured&) -> Result<WeightVector> {
            return not_covered("it is no monomial, clause, box, decision list of single literals, or linear threshold");
          },
      },
      form);
}

}  // namespace hearsay::compiler
