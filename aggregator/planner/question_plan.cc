#include "aggregator/planner/question_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "aggregator/planner/product_query.h"
#include "aggregator/planner/question_weights.h"
#include "common/base/try.h"

namespace hearsay::planner {
namespace {

constexpr std::size_t kMostParts = 8;
constexpr std::size_t kMostSets = 4096;
constexpr std::size_t kMostProducts = 1U << 15U;
constexpr std::size_t kMostLengths = 512;

Error too_large(std::string message) { return {ErrorCode::kLimitExceeded, std::move(message)}; }

std::vector<double> indicator(std::uint32_t values, std::uint32_t first, std::uint32_t length) {
  std::vector<double> function(values, 0.0);
  std::fill_n(function.begin() + first, length, 1.0);
  return function;
}

// Returns at most `most` lengths of ranges from 1 to J-1, evenly spread.
std::vector<std::uint32_t> lengths(std::uint32_t values, std::size_t most) {
  std::set<std::uint32_t> list{1, values - 1};
  const auto count = static_cast<double>(std::min<std::size_t>(most, values) - 1);
  for (double i = 1; i < count; ++i) list.insert(static_cast<std::uint32_t>(std::lround(1 + i * (values - 2) / count)));
  return {list.begin(), list.end()};
}

class Builder {
 public:
  Builder(const Schema& schema, const std::vector<QuestionFamily>& families, bool all_differ) : schema_(schema) {
    std::map<std::tuple<AttributeKind, std::uint32_t, std::uint32_t>, std::size_t> known;
    for (std::uint32_t i = 0; i < schema.size(); ++i) {
      const auto key = std::tuple{schema[i].kind(), schema[i].size(), all_differ ? i : 0};
      const auto [found, is_new] = known.emplace(key, classes_.size());
      if (is_new) {
        classes_.emplace_back();
        problem_.costs.emplace_back(QuestionFamily::kParities, schema[i].size());
        families_.push_back(families[i]);
      }
      classes_[found->second].push_back(i);
      class_of_.push_back(found->second);
    }
  }

  Result<void> add(const std::vector<Query>& queries, double weight) {
    for (const Query& query : queries) {
      const std::optional<ProductFunction> product = product_of(query, schema_);
      if (!product) return too_large("a query is not a product of conditions on one attribute each");
      HEARSAY_CHECK_OK(add_function(*product, weight));
    }
    return {};
  }
  Result<void> add(const Ranges& /*workload*/, double weight) { return add(Boxes{1}, weight); }
  Result<void> add(const Boxes& workload, double weight) {
    return add_class(workload.ranges, true, weight, &Builder::add_ranges);
  }
  Result<void> add(const Prefixes& /*workload*/, double weight) {
    return add_class(1, true, weight, &Builder::add_prefixes);
  }
  Result<void> add(const Conjunctions& workload, double weight) {
    return add_class(workload.literals, false, weight, &Builder::add_literals);
  }
  Result<void> add(const Means& /*workload*/, double weight) {
    for (const WeightedFunction& mean : functions_of(Means{}, schema_)) {
      HEARSAY_CHECK_OK(add_function(mean.function, weight));
    }
    return {};
  }
  Result<void> add(const Functions& /*workload*/, double /*weight*/) {
    return too_large("one-bit questions are not planned for all functions of attributes");
  }
  Result<void> add(const Mixture& /*workload*/, double /*weight*/) { return {}; }  // parts_of() has split mixtures

  Result<QuestionPlan> plan() {
    if (problem_.products.empty()) {
      return Error{ErrorCode::kInvalidArgument, "all queries are constant: there is nothing to plan"};
    }
    problem_.orbit_sizes.resize(orbits_.size());
    for (const auto& [classes, orbit] : orbits_) problem_.orbit_sizes[orbit] = sets_in(classes);
    const QuestionWeights weights = best_question_weights(problem_);
    QuestionPlan plan{{}, weights.worst, weights.lower_bound};
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const std::size_t c = class_of_[i];
      plan.spec.questions.push_back(problem_.costs[c].spec(weights.multipliers[c]));
    }
    const auto is_default = [](const QuestionSpec& spec) { return spec == QuestionSpec(ParityQuestions{}); };
    if (std::ranges::all_of(plan.spec.questions, is_default)) plan.spec.questions.clear();
    HEARSAY_CHECK_OK(add_groups(weights.orbits, plan.spec));
    return plan;
  }

 private:
  using Classes = std::vector<std::size_t>;  // the classes of a set of attributes, ascending
  using AddFunctions = std::vector<std::size_t> (Builder::*)(std::size_t, std::size_t);

  // Returns the costs of a class. Computes the costs only at the first call, since circles take time.
  QuestionCosts& costs_of(std::size_t c) {
    QuestionCosts& costs = problem_.costs[c];
    if (costs.functions() == 0) costs = QuestionCosts(families_[c], values_of(c));
    return costs;
  }

  // Returns how many sets of attributes have the classes `classes`.
  double sets_in(const Classes& classes) const {
    double count = 1;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const auto before = std::count(classes.begin(), classes.begin() + static_cast<std::ptrdiff_t>(i), classes[i]);
      const auto taken = static_cast<double>(before);
      count *= (static_cast<double>(classes_[classes[i]].size()) - taken) / (taken + 1);
    }
    return count;
  }

  // Adds an empty list of products on a set of attributes of the classes `classes`.
  Result<QuestionProblem::Products*> add_products(const Classes& classes, double weight) {
    if (classes.size() > kMostParts) {
      return too_large("a query on more than " + std::to_string(kMostParts) + " attributes");
    }
    QuestionProblem::Products products{classes, {}, weight, {}};
    for (std::size_t set = 1; set < std::size_t{1} << classes.size(); ++set) {
      Classes some;
      for (std::size_t i = 0; i < classes.size(); ++i) {
        if ((set >> i & 1U) != 0) some.push_back(classes[i]);
      }
      products.orbits.push_back(orbits_.emplace(std::move(some), orbits_.size()).first->second);
    }
    if (orbits_.size() > kMostSets) return too_large("the workload needs too many sets of attributes");
    problem_.products.push_back(std::move(products));
    return &problem_.products.back();
  }

  // Adds one product. Each attribute of the product must have a class of its own, unless the product has only one part.
  Result<void> add_function(const ProductFunction& function, double weight) {
    if (function.parts.empty()) return {};
    Classes classes;
    for (const ProductFunction::Part& part : function.parts) classes.push_back(class_of_[part.attribute]);
    HEARSAY_TRY(QuestionProblem::Products* const products, add_products(classes, weight));
    for (const ProductFunction::Part& part : function.parts) {
      products->functions.push_back(costs_of(class_of_[part.attribute]).add(part.values));
    }
    return {};
  }

  // Adds all products of `size` functions, each on another attribute. One product stands for all choices of attributes
  // of the same classes. The function 1 stands for attributes that a query leaves out.
  Result<void> add_class(std::uint32_t size, bool of_ranges, double weight, AddFunctions add_functions) {
    std::vector<Classes> sets;
    Classes chosen;
    choose(0, size, of_ranges, chosen, sets);
    if (sets.size() > kMostSets) return too_large("the workload needs too many sets of attributes");
    if (sets.empty()) return {};  // fewer attributes than literals: representatives() has refused this workload
    const double each = static_cast<double>(kMostProducts) / static_cast<double>(sets.size());
    const auto most = std::clamp<std::size_t>(static_cast<std::size_t>(std::pow(each, 1.0 / size)), 4, kMostLengths);
    std::vector<std::vector<std::size_t>> functions(classes_.size());
    for (const Classes& classes : sets) {
      for (const std::size_t c : classes) {
        if (!functions[c].empty()) continue;
        functions[c] = (this->*add_functions)(c, most);
        if (size > 1) functions[c].push_back(costs_of(c).add(indicator(values_of(c), 0, values_of(c))));
      }
      HEARSAY_TRY(QuestionProblem::Products* const products, add_products(classes, weight));
      std::vector<std::size_t> places;
      add_all(*products, functions, places);
      if (products->functions.size() > 16 * kMostProducts) return too_large("the workload has too many queries");
    }
    return {};
  }

  void choose(std::size_t first, std::size_t more, bool of_ranges, Classes& chosen, std::vector<Classes>& sets) const {
    if (sets.size() > kMostSets) return;
    if (more == 0) {
      sets.push_back(chosen);
      return;
    }
    for (std::size_t c = first; c < classes_.size(); ++c) {
      if (of_ranges && schema_[classes_[c].front()].kind() != AttributeKind::kRange) continue;
      const auto taken = static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), c));
      if (taken == classes_[c].size()) continue;
      chosen.push_back(c);
      choose(c, more - 1, of_ranges, chosen, sets);
      chosen.pop_back();
    }
  }

  // `places` has, for each attribute so far, the place of the attribute's function in the list of its class. Within a
  // class the places ascend.
  void add_all(QuestionProblem::Products& products, const std::vector<std::vector<std::size_t>>& functions,
               std::vector<std::size_t>& places) const {
    const std::size_t i = places.size();
    if (i == products.classes.size()) {
      for (std::size_t p = 0; p < i; ++p) products.functions.push_back(functions[products.classes[p]][places[p]]);
      return;
    }
    const bool again = i > 0 && products.classes[i] == products.classes[i - 1];
    for (std::size_t at = again ? places.back() : 0; at < functions[products.classes[i]].size(); ++at) {
      places.push_back(at);
      add_all(products, functions, places);
      places.pop_back();
    }
  }

  std::uint32_t values_of(std::size_t c) const { return schema_[classes_[c].front()].size(); }

  std::vector<std::size_t> add_prefixes(std::size_t c, std::size_t most) {
    std::vector<std::size_t> list;
    for (const std::uint32_t length : lengths(values_of(c), most)) {
      list.push_back(costs_of(c).add(indicator(values_of(c), 0, length)));
    }
    return list;
  }

  // For prefixes and thresholds the place of a range matters, so add_ranges() adds ranges in the middle, too.
  std::vector<std::size_t> add_ranges(std::size_t c, std::size_t most) {
    std::vector<std::size_t> list = add_prefixes(c, most);
    if (families_[c] != QuestionFamily::kPrefixes && families_[c] != QuestionFamily::kThresholds) return list;
    for (const std::uint32_t length : lengths(values_of(c), most)) {
      list.push_back(costs_of(c).add(indicator(values_of(c), (values_of(c) - length) / 2, length)));
    }
    return list;
  }

  std::vector<std::size_t> add_literals(std::size_t c, std::size_t most) {
    const std::uint32_t values = values_of(c);
    if (schema_[classes_[c].front()].kind() == AttributeKind::kRange) return add_prefixes(c, most);
    std::vector<std::size_t> list{costs_of(c).add(indicator(values, 0, 1))};
    if (values > 2) list.push_back(costs_of(c).add(indicator(values, 1, values - 1)));
    return list;
  }

  Result<void> add_groups(const Eigen::VectorXd& weights, SampledSpec& spec) const {
    constexpr double kTotal = 1U << 30U;
    constexpr double kNext = 1e-9;  // sets of attributes with less weight get no group
    for (const auto& [classes, orbit] : orbits_) {
      const double weight = weights[static_cast<Eigen::Index>(orbit)];
      if (weight < kNext) continue;
      if (classes.front() == classes.back()) {
        add_group(static_cast<std::uint32_t>(classes.size()), weight * kTotal, classes_[classes.front()], spec);
        continue;
      }
      const double sets = sets_in(classes);
      if (sets + static_cast<double>(spec.groups.size()) > kMostSets) {
        return too_large("the workload needs too many sets of attributes");
      }
      std::vector<std::uint32_t> attributes;
      add_sets(classes, weight * kTotal / sets, attributes, spec);
    }
    return {};
  }

  // Adds a group for each set of attributes of the classes `classes`. `attributes` holds the attributes chosen for the
  // first classes.
  void add_sets(const Classes& classes, double weight, std::vector<std::uint32_t>& attributes,
                SampledSpec& spec) const {
    const std::size_t i = attributes.size();
    if (i == classes.size()) {
      std::vector<std::uint32_t> set = attributes;
      std::sort(set.begin(), set.end());
      add_group(static_cast<std::uint32_t>(i), weight, std::move(set), spec);
      return;
    }
    for (const std::uint32_t attribute : classes_[classes[i]]) {
      if (i > 0 && classes[i] == classes[i - 1] && attribute <= attributes.back()) continue;
      attributes.push_back(attribute);
      add_sets(classes, weight, attributes, spec);
      attributes.pop_back();
    }
  }

  void add_group(std::uint32_t size, double weight, std::vector<std::uint32_t> attributes, SampledSpec& spec) const {
    if (attributes.size() == schema_.size()) attributes.clear();
    const auto integer = std::max(1U, static_cast<std::uint32_t>(std::lround(weight)));
    spec.groups.push_back({GroupKind::kSingle, size, integer, std::move(attributes), {}});
  }

  const Schema& schema_;
  std::vector<std::vector<std::uint32_t>> classes_;
  std::vector<QuestionFamily> families_;   // per class
  std::vector<std::size_t> class_of_;      // per attribute
  std::map<Classes, std::size_t> orbits_;  // the number of each orbit, by the classes of its sets
  QuestionProblem problem_;
};

}  // namespace

Result<QuestionPlan> plan_questions(const Schema& schema, const Workload& workload,
                                    const std::vector<QuestionFamily>& families) {
  HEARSAY_TRY(const std::vector<Query> valid, representatives(workload, schema));
  const std::vector<Mixture::Part> parts = parts_of(workload);
  const auto is_list = [](const Mixture::Part& part) {
    return std::holds_alternative<std::vector<Query>>(part.workload);
  };
  Builder builder(schema, families, std::ranges::any_of(parts, is_list));
  for (const Mixture::Part& part : parts) {
    HEARSAY_CHECK_OK(std::visit([&](const auto& some) { return builder.add(some, part.weight); }, part.workload));
  }
  return builder.plan();
}

std::vector<QuestionFamily> for_ranges(QuestionFamily family, const Schema& schema) {
  std::vector<QuestionFamily> families;
  for (const Attribute& attribute : schema.attributes()) {
    const bool asks = attribute.kind() == AttributeKind::kRange && can_ask(family, attribute.size());
    families.push_back(asks ? family : QuestionFamily::kParities);
  }
  return families;
}

std::vector<QuestionFamily> fitting_families(const Workload& workload, const Schema& schema) {
  std::vector<std::vector<std::vector<double>>> functions(schema.size());
  const auto add_parts = [&](const ProductFunction& product) {
    for (const ProductFunction::Part& part : product.parts) functions[part.attribute].push_back(part.values);
  };
  for (const WeightedFunction& mean : functions_of(workload, schema)) add_parts(mean.function);
  for (const Mixture::Part& part : parts_of(workload)) {
    const auto* queries = std::get_if<std::vector<Query>>(&part.workload);
    if (queries == nullptr) continue;
    for (const Query& query : *queries) add_parts(product_of(query, schema).value_or(ProductFunction{}));
  }
  std::vector<QuestionFamily> families(schema.size(), QuestionFamily::kParities);
  for (const std::uint32_t i : integer_ranges(schema)) {
    if (functions[i].empty()) continue;
    double least = std::numeric_limits<double>::infinity();
    for (const QuestionFamily family : kOrderedFamilies) {
      if (!can_ask(family, schema[i].size())) continue;
      QuestionProblem problem{{QuestionCosts(family, schema[i].size())}, {1}, {{{0}, {0}, 1, {}}}};
      for (const auto& function : functions[i]) {
        problem.products.front().functions.push_back(problem.costs.front().add(function));
      }
      const double worst = best_question_weights(std::move(problem)).worst;
      if (worst < least) families[i] = family;
      least = std::min(least, worst);
    }
  }
  return families;
}

}  // namespace hearsay::planner
