#include "aggregator/planner/class_products.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "aggregator/planner/product_query.h"

namespace hearsay::planner {
namespace {

constexpr std::size_t kMostChoices = 512;
constexpr double kManyProducts = 1024;
constexpr double kMostSpread = 16;

using FunctionValues = std::vector<double>;
using Choice = std::vector<std::uint32_t>;  // a choice of attributes, ascending

enum class Conditions : std::uint8_t { kLiterals, kRanges };

std::vector<FunctionValues> conditions_on(const Attribute& attribute, std::size_t most) {
  const std::uint32_t size = attribute.size();
  std::set<FunctionValues> list;
  if (attribute.kind() == AttributeKind::kRange) {
    const auto count = static_cast<double>(std::clamp<std::size_t>(most, 2, size));
    for (double i = 0; i < count; ++i) {
      const auto length = 1 + std::lround(i * (size - 2) / (count - 1));
      FunctionValues values(size, 0.0);
      std::fill_n(values.begin(), length, 1.0);
      list.insert(std::move(values));
    }
  } else {
    for (const std::uint32_t one : {0U, size - 1}) {
      for (const double inside : {0.0, 1.0}) {
        FunctionValues values(size, 1 - inside);
        values[one] = inside;
        list.insert(std::move(values));
      }
    }
  }
  return {list.begin(), list.end()};
}

class Choices {
 public:
  Choices(const Schema& schema, const std::vector<std::size_t>& alike, Conditions of) : alike_(alike) {
    for (std::uint32_t i = 0; i < schema.size(); ++i) {
      if (of == Conditions::kLiterals || schema[i].kind() == AttributeKind::kRange) eligible_.push_back(i);
    }
  }

  // Returns choices of 1 to `most` attributes, one choice for each combination of kinds.
  std::vector<Choice> up_to(std::uint32_t most) {
    std::set<std::vector<std::size_t>> seen;
    std::vector<Choice> list{{}};
    for (std::size_t at = 0; at < list.size() && list.size() <= kMostChoices; ++at) {
      if (list[at].size() == most) continue;
      for (const std::uint32_t attribute : eligible_) {
        if (std::ranges::find(list[at], attribute) != list[at].end()) continue;
        Choice more = list[at];
        more.push_back(attribute);
        std::ranges::sort(more);
        std::vector<std::size_t> kinds;
        for (const std::uint32_t one : more) kinds.push_back(alike_[one]);
        std::ranges::sort(kinds);
        if (seen.insert(std::move(kinds)).second) list.push_back(std::move(more));
      }
    }
    list.erase(list.begin());
    return list;
  }

 private:
  const std::vector<std::size_t>& alike_;
  std::vector<std::uint32_t> eligible_;
};

void add_products(const Schema& schema, const Choice& choice, std::size_t most, ProductFunction& function,
                  double weight, std::vector<WeightedProduct>& products) {
  const std::size_t i = function.parts.size();
  if (i == choice.size()) {
    products.push_back({function, weight});
    return;
  }
  for (FunctionValues& values : conditions_on(schema[choice[i]], most)) {
    function.parts.push_back({choice[i], std::move(values)});
    add_products(schema, choice, most, function, weight, products);
    function.parts.pop_back();
  }
}

struct Adder {
  const Schema& schema;
  const std::vector<std::size_t>& alike;
  double weight;
  std::vector<WeightedProduct>& products;

  bool operator()(const std::vector<Query>& queries) const {
    for (const Query& query : queries) {
      std::optional<ProductFunction> product = product_of(query, schema);
      if (!product) return false;
      if (!product->parts.empty()) products.push_back({*std::move(product), weight});
    }
    return true;
  }
  bool operator()(const Conjunctions& workload) const { return add(Conditions::kLiterals, workload.literals); }
  bool operator()(const Functions& /*workload*/) const { return false; }
  bool operator()(const Ranges& /*workload*/) const { return add(Conditions::kRanges, 1); }
  bool operator()(const Prefixes& /*workload*/) const { return add(Conditions::kRanges, 1); }
  bool operator()(const Boxes& workload) const { return add(Conditions::kRanges, workload.ranges); }
  bool operator()(const Means& /*workload*/) const {
    for (const WeightedFunction& mean : functions_of(Means{}, schema)) products.push_back({mean.function, weight});
    return true;
  }
  bool operator()(const Mixture& /*workload*/) const { return true; }  // parts_of() has taken mixtures apart

  bool add(Conditions of, std::uint32_t most) const {
    const std::vector<Choice> choices = Choices(schema, alike, of).up_to(most);
    if (choices.size() > kMostChoices) return false;
    const double each = std::pow(kManyProducts / static_cast<double>(choices.size()), 1.0 / most);
    for (const Choice& choice : choices) {
      ProductFunction function;
      add_products(schema, choice, static_cast<std::size_t>(std::min(each, kMostSpread)), function, weight, products);
    }
    return true;
  }
};

}  // namespace

std::vector<std::size_t> asked_alike(const Workload& workload, const Schema& schema) {
  const std::vector<Mixture::Part> parts = parts_of(workload);
  const bool has_list = std::ranges::any_of(
      parts, [](const Mixture::Part& part) { return std::holds_alternative<std::vector<Query>>(part.workload); });
  std::map<std::tuple<AttributeKind, std::uint32_t, std::size_t>, std::size_t> known;
  std::vector<std::size_t> alike;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const auto key = std::tuple{schema[i].kind(), schema[i].size(), has_list ? i : 0};
    alike.push_back(known.emplace(key, known.size()).first->second);
  }
  return alike;
}

std::optional<std::vector<WeightedProduct>> products_for(const Workload& workload, const Schema& schema,
                                                         const std::vector<std::size_t>& alike) {
  std::vector<WeightedProduct> products;
  for (const Mixture::Part& part : parts_of(workload)) {
    if (!std::visit(Adder{schema, alike, part.weight, products}, part.workload)) return std::nullopt;
  }
  if (products.empty()) return std::nullopt;
  return products;
}

}  // namespace hearsay::planner
