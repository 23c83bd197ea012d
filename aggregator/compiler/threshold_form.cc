#include "aggregator/compiler/threshold_form.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "common/query/value_set.h"

namespace hearsay::compiler {
namespace {

Int128 ceiling(Int128 numerator, Int128 denominator) {  // denominator > 0
  const Int128 quotient = numerator / denominator;
  return quotient * denominator < numerator ? quotient + 1 : quotient;
}

template <class Condition>
Predicate where(const PredicateThreshold::Term& term, const Condition& condition) {
  ValueSet values;
  for (std::uint32_t v = 0; v < term.weight.size(); ++v) {
    if (condition(term.weight[v])) values.emplace_back(v, v);
  }
  return {term.attribute, query::make_value_set(std::move(values))};
}

std::uint64_t largest(const PredicateThreshold::Term& term) {
  return *std::max_element(term.weight.begin(), term.weight.end());
}

// Writes a threshold as a list if possible, since lists need no dynamic programming. If every positive weight alone
// reaches the bound, the threshold is a disjunction. If the sum misses the bound as soon as one attribute has less than
// its largest weight, the threshold is a conjunction.
std::optional<PredicateList> as_list(const PredicateThreshold& threshold) {
  const std::uint64_t slack = threshold.largest_sum() - threshold.bound;
  PredicateList disjunction{{}, false};
  PredicateList conjunction{{}, true};
  bool is_disjunction = true;
  bool is_conjunction = true;
  for (const auto& term : threshold.terms) {
    const std::uint64_t top = largest(term);
    for (const std::uint64_t weight : term.weight) {
      is_disjunction = is_disjunction && (weight == 0 || weight >= threshold.bound);
      is_conjunction = is_conjunction && (weight == top || top - weight > slack);
    }
    disjunction.items.push_back({where(term, [](auto weight) { return weight > 0; }), true});
    conjunction.items.push_back({where(term, [&](auto weight) { return weight < top; }), false});
  }
  if (is_disjunction) return disjunction;
  if (is_conjunction) return conjunction;
  return std::nullopt;
}

}  // namespace

std::uint64_t PredicateThreshold::largest_sum() const {
  return std::accumulate(terms.begin(), terms.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Term& term) { return sum + largest(term); });
}

std::vector<std::int64_t>& WeightedSum::table(std::uint32_t attribute) {
  return tables_.try_emplace(attribute, schema_[attribute].size()).first->second;
}

void WeightedSum::add_indicator(const Predicate& predicate) {
  auto& weights = table(predicate.attribute);
  work_.spend(weights.size());
  for (const auto& [first, last] : predicate.values) {
    for (std::uint32_t v = first; v <= last; ++v) ++weights[v];
  }
}

void WeightedSum::add_value(const query::Linear::Term& term) {
  constant_ += Int128{term.coefficient} * term.origin;
  auto& weights = table(term.attribute);
  work_.spend(weights.size());
  for (std::size_t v = 0; v < weights.size(); ++v) weights[v] += term.coefficient * static_cast<std::int64_t>(v);
}

Int128 WeightedSum::remove_constants() {
  Int128 removed = constant_;
  for (auto entry = tables_.begin(); entry != tables_.end();) {
    auto& weights = entry->second;
    const std::int64_t least = *std::min_element(weights.begin(), weights.end());
    removed += least;
    for (std::int64_t& weight : weights) weight -= least;
    const bool flat = std::all_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight == 0; });
    entry = flat ? tables_.erase(entry) : std::next(entry);
  }
  return removed;
}

QueryForm WeightedSum::at_least(Int128 bound) && {
  bound -= remove_constants();
  std::int64_t divisor = 0;
  for (const auto& [attribute, weights] : tables_) {
    for (const std::int64_t weight : weights) divisor = std::gcd(divisor, weight);
  }
  if (bound <= 0) return true;
  if (divisor == 0) return false;
  bound = ceiling(bound, divisor);

  PredicateThreshold threshold{{}, 0, false};
  for (const auto& [attribute, weights] : tables_) {
    auto& term = threshold.terms.emplace_back(PredicateThreshold::Term{attribute, {}});
    for (const std::int64_t weight : weights) term.weight.push_back(static_cast<std::uint64_t>(weight / divisor));
  }
  if (bound > Int128{threshold.largest_sum()}) return false;
  threshold.bound = static_cast<std::uint64_t>(bound);
  if (threshold.terms.size() == 1) {
    return where(threshold.terms.front(), [&](auto weight) { return weight >= threshold.bound; });
  }
  if (auto list = as_list(threshold)) return normalise(*std::move(list), schema_, work_);
  return threshold;
}

}  // namespace hearsay::compiler
