#include "aggregator/planner/product_query.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace hearsay::planner {
namespace {

// The product of one function for each attribute; if `negated`, 1 minus this product.
struct SignedProduct {
  bool negated = false;
  std::map<std::uint32_t, std::vector<double>> factors;
};

std::optional<SignedProduct> signed_product(const Query& query, const Schema& schema);

// Returns the indicator of a query on one attribute.
SignedProduct of_values(const Query& query, std::uint32_t attribute, const Schema& schema) {
  std::vector<std::uint32_t> record(schema.size(), 0);
  std::vector<double> values(schema[attribute].size());
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    record[attribute] = v;
    values[v] = query.evaluate(record) ? 1 : 0;
  }
  return {false, {{attribute, std::move(values)}}};
}

// Returns the conjunction of all operands. If `negate` is true, negates each operand first.
std::optional<SignedProduct> all_of(const std::vector<Query>& operands, bool negate, const Schema& schema) {
  SignedProduct all;
  for (const Query& operand : operands) {
    std::optional<SignedProduct> one = signed_product(operand, schema);
    if (!one) return std::nullopt;
    one->negated = one->negated != negate;
    if (one->negated && one->factors.size() > 1) return std::nullopt;
    for (auto& [attribute, values] : one->factors) {
      const auto known = all.factors.try_emplace(attribute, values.size(), 1.0).first;
      for (std::size_t v = 0; v < values.size(); ++v) {
        known->second[v] *= one->negated ? 1 - values[v] : values[v];
      }
    }
  }
  return all;
}

std::optional<SignedProduct> signed_product(const Query& query, const Schema& schema) {
  const std::vector<std::uint32_t> attributes = query.attributes();
  if (attributes.size() == 1) return of_values(query, attributes.front(), schema);
  std::optional<SignedProduct> result;
  if (const auto* negation = std::get_if<query::Not>(&query.node())) {
    result = signed_product(*negation->operand, schema);
    if (result) result->negated = !result->negated;
  } else if (const auto* conjunction = std::get_if<query::And>(&query.node())) {
    result = all_of(conjunction->operands, false, schema);
  } else if (const auto* disjunction = std::get_if<query::Or>(&query.node())) {
    result = all_of(disjunction->operands, true, schema);
    if (result) result->negated = true;
  }
  return result;
}

}  // namespace

std::optional<ProductFunction> product_of(const Query& query, const Schema& schema) {
  std::optional<SignedProduct> found = signed_product(query, schema);
  if (!found) return std::nullopt;
  ProductFunction product;
  for (auto& [attribute, values] : found->factors) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (*most == 0) return ProductFunction{};  // the query is never, or always, true
    if (*least == 0) product.parts.push_back({attribute, std::move(values)});
  }
  return product;
}

}  // namespace hearsay::planner
