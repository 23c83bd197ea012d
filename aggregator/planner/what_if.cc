#include "aggregator/planner/what_if.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include "aggregator/planner/coarse_list.h"
#include "aggregator/planner/rewritten_query.h"
#include "aggregator/tails/distributions.h"
#include "common/base/try.h"
#include "common/task/coarsening.h"

namespace hearsay::planner {
namespace {

using Queries = std::vector<Query>;

std::size_t integer_ranges_of(const Schema& schema) {
  return static_cast<std::size_t>(
      std::count_if(schema.attributes().begin(), schema.attributes().end(),
                    [](const Attribute& attribute) { return attribute.kind() == AttributeKind::kRange; }));
}

// Returns the workload for the new schema, without the queries that the schema cannot express. Returns nothing if no
// query is left.
struct Rewrite {
  const Rewriting& rewriting;
  const Schema& schema;

  std::optional<Workload> operator()(const Queries& queries) const {
    Queries left;
    for (const Query& query : queries) {
      if (auto one = rewritten(query, rewriting)) left.push_back(*std::move(one));
    }
    if (left.empty()) return std::nullopt;
    return Workload(std::move(left));
  }
  std::optional<Workload> operator()(const Conjunctions& workload) const {
    return Workload(Conjunctions{std::min(workload.literals, static_cast<std::uint32_t>(schema.size()))});
  }
  std::optional<Workload> operator()(const Functions& workload) const {
    return Workload(Functions{std::min(workload.attributes, static_cast<std::uint32_t>(schema.size()))});
  }
  std::optional<Workload> operator()(const Boxes& workload) const {
    const auto ranges = static_cast<std::uint32_t>(integer_ranges_of(schema));
    if (ranges == 0) return std::nullopt;
    return Workload(Boxes{std::min(workload.ranges, ranges)});
  }
  std::optional<Workload> operator()(const Mixture& workload) const {
    Mixture left;
    for (const Mixture::Part& part : workload.parts) {
      if (auto one = std::visit(*this, part.workload)) left.parts.push_back({*std::move(one), part.weight});
    }
    if (left.parts.empty()) return std::nullopt;
    return Workload(std::move(left));
  }
  // Handles Ranges, Prefixes and Means.
  template <class Class>
  std::optional<Workload> operator()(const Class& workload) const {
    if (integer_ranges_of(schema) == 0) return std::nullopt;
    return Workload(workload);
  }
};

struct Asked {
  const Schema& schema;
  std::set<std::uint32_t>& attributes;

  void operator()(const Queries& queries) const {
    for (const Query& query : queries) {
      for (const std::uint32_t attribute : query.attributes()) attributes.insert(attribute);
    }
  }
  void operator()(const Mixture& workload) const {
    for (const Mixture::Part& part : workload.parts) std::visit(*this, part.workload);
  }
  template <class Class>
  void operator()(const Class&) const {
    constexpr bool kAnyKind = std::is_same_v<Class, Conjunctions> || std::is_same_v<Class, Functions>;
    for (std::uint32_t i = 0; i < schema.size(); ++i) {
      if (kAnyKind || schema[i].kind() == AttributeKind::kRange) attributes.insert(i);
    }
  }
};

// Returns the attributes that the wish asks about, those with the most values first.
std::vector<std::uint32_t> largest_asked(const Wish& wish) {
  std::set<std::uint32_t> asked;
  std::visit(Asked{wish.base.schema, asked}, wish.workload);
  std::vector<std::uint32_t> list(asked.begin(), asked.end());
  std::stable_sort(list.begin(), list.end(), [&wish](std::uint32_t a, std::uint32_t b) {
    return wish.base.schema[a].size() > wish.base.schema[b].size();
  });
  return list;
}

std::size_t count_of(const Workload& workload) {
  if (const auto* queries = std::get_if<Queries>(&workload)) return queries->size();
  const auto* mixture = std::get_if<Mixture>(&workload);
  if (mixture == nullptr) return 1;
  std::size_t sum = 0;
  for (const Mixture::Part& part : mixture->parts) sum += count_of(part.workload);
  return sum;
}

Result<WorkloadPlan> plan_of_best(const Wish& wish) {
  HEARSAY_TRY(const Candidate best, best_candidate(wish));
  return best.plan;
}

std::optional<Wish> without_attribute(const Wish& wish, std::uint32_t attribute) {
  const Schema& schema = wish.base.schema;
  Rewriting rewriting;
  std::vector<Attribute> kept;
  for (std::uint32_t i = 0; i < schema.size(); ++i) {
    rewriting.place.emplace_back();
    if (i == attribute) continue;
    rewriting.place.back() = static_cast<std::uint32_t>(kept.size());
    kept.push_back(schema[i]);
  }
  auto fewer = Schema::create(std::move(kept));
  if (!fewer) return std::nullopt;  // no other attribute is left
  auto workload = std::visit(Rewrite{rewriting, *fewer}, wish.workload);
  if (!workload) return std::nullopt;
  Wish changed{wish.base, *std::move(workload), wish.target, wish.known};
  changed.base.schema = *std::move(fewer);
  return changed;
}

std::optional<Wish> with_half(const Wish& wish, std::uint32_t attribute) {
  const Schema& schema = wish.base.schema;
  Rewriting rewriting{{}, attribute};
  std::vector<Attribute> changed;
  for (std::uint32_t i = 0; i < schema.size(); ++i) {
    rewriting.place.emplace_back(i);
    changed.push_back(i == attribute ? coarsened(schema[i]) : schema[i]);
  }
  auto coarser = Schema::create(std::move(changed));
  if (!coarser) return std::nullopt;
  auto workload = std::visit(Rewrite{rewriting, *coarser}, wish.workload);
  if (!workload || count_of(*workload) < count_of(wish.workload)) return std::nullopt;
  Wish halved{wish.base, *std::move(workload), wish.target, wish.known};
  halved.base.schema = *std::move(coarser);
  return halved;
}

// Returns the places of the queries that take the most users in the task.
std::vector<std::size_t> dearest(const Task& task, const Queries& queries, const Target& target, std::size_t most) {
  std::vector<std::pair<std::uint64_t, std::size_t>> users;
  for (const Result<PlannedQuery>& line : plan(task, queries, target)) {
    users.emplace_back(line ? line->users_exact : std::numeric_limits<std::uint64_t>::max(), users.size());
  }
  std::stable_sort(users.begin(), users.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < std::min(most, users.size()); ++i) places.push_back(users[i].second);
  return places;
}

void add_without_queries(const Wish& wish, const Task& chosen, std::size_t most, std::vector<WhatIf>& list) {
  const auto* queries = std::get_if<Queries>(&wish.workload);
  if (queries == nullptr || queries->size() < 2) return;
  for (const std::size_t place : dearest(chosen, *queries, wish.target, most)) {
    Queries left = *queries;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(place));
    list.push_back({"without query `" + (*queries)[place].as_written(wish.base.schema) + "`",
                    plan_of_best({wish.base, std::move(left), wish.target, wish.known})});
  }
}

std::string name_of(const Workload& part, const Schema& schema) {
  const auto* queries = std::get_if<Queries>(&part);
  if (queries == nullptr) return describe(part);
  if (queries->size() == 1) return "query `" + queries->front().as_written(schema) + "`";
  return "the " + std::to_string(queries->size()) + " listed queries";
}

void add_without_parts(const Wish& wish, std::vector<WhatIf>& list) {
  const auto* mixture = std::get_if<Mixture>(&wish.workload);
  if (mixture == nullptr || mixture->parts.size() < 2) return;
  for (std::size_t i = 0; i < mixture->parts.size(); ++i) {
    Mixture left = *mixture;
    left.parts.erase(left.parts.begin() + static_cast<std::ptrdiff_t>(i));
    list.push_back({"without " + name_of(mixture->parts[i].workload, wish.base.schema),
                    plan_of_best({wish.base, left, wish.target, wish.known})});
  }
}

void cheapest_first(std::vector<WhatIf>& list) {
  const auto users = [](const WhatIf& one) {
    return one.plan ? one.plan->users_worst : std::numeric_limits<std::uint64_t>::max();
  };
  std::stable_sort(list.begin(), list.end(), [&](const WhatIf& a, const WhatIf& b) { return users(a) < users(b); });
}

}  // namespace

Result<ExpectedError> expected_error(const PlannedQuery& planned, std::uint64_t users, double beta) {
  HEARSAY_TRY(const double z, tails::normal_upper_quantile(beta / 2));
  const double square = planned.variance.worst_among_reporters / static_cast<double>(users) + planned.sampled;
  return ExpectedError{z * std::sqrt(square), !planned.variance.exact, near_normal(planned.variance, users)};
}

// The variance of the estimate follows from users_worst. The kurtosis is bounded as ReportVariance says.
Result<ExpectedError> expected_error(const WorkloadPlan& planned, std::uint64_t users, const Target& target) {
  HEARSAY_TRY(const double z, tails::normal_upper_quantile(target.beta / 2));
  const double variance = static_cast<double>(planned.users_worst) * target.alpha * target.alpha / (z * z);
  ReportVariance bounded{};
  bounded.kurtosis = planned.influence * planned.influence / variance;
  return ExpectedError{z * std::sqrt(variance / static_cast<double>(users)), planned.at_most,
                       near_normal(bounded, users)};
}

Result<Candidate> best_candidate(const Wish& wish) {
  HEARSAY_TRY(std::vector<Candidate> list,
              candidates(wish.base, wish.workload, wish.target, Wanted::kBest, *wish.known));
  if (!list.front().plan) return list.front().plan.error();
  return std::move(list.front());
}

Result<Candidate> at_epsilon(const Wish& wish, const Epsilon& epsilon) {
  Wish changed = wish;
  changed.base.epsilon = epsilon;
  return best_candidate(changed);
}

std::vector<WhatIf> with_less(const Wish& wish, const Task& chosen, std::size_t most) {
  std::vector<WhatIf> list;
  std::size_t tried = 0;
  for (const std::uint32_t attribute : largest_asked(wish)) {
    if (tried == most) break;
    const auto changed = without_attribute(wish, attribute);
    if (!changed) continue;
    ++tried;
    list.push_back({"without attribute " + wish.base.schema[attribute].name(), plan_of_best(*changed)});
  }
  add_without_queries(wish, chosen, most, list);
  add_without_parts(wish, list);
  cheapest_first(list);
  return list;
}

std::vector<WhatIf> with_coarser_values(const Wish& wish, const Task& chosen, std::size_t most) {
  std::vector<WhatIf> list;
  const Coarsening* cells = chosen.coarsening();
  for (const std::uint32_t attribute : largest_asked(wish)) {
    const Attribute& before = wish.base.schema[attribute];
    if (before.size() < 3 || list.size() == most) break;
    if (cells != nullptr && cells->cuts_of(attribute) != nullptr) continue;
    const auto changed = with_half(wish, attribute);
    if (!changed) continue;
    const std::uint32_t values = changed->base.schema[attribute].size();
    list.push_back(
        {std::to_string(values) + " values of " + before.name() + " instead of " + std::to_string(before.size()),
         plan_of_best(*changed)});
  }
  cheapest_first(list);
  return list;
}

std::size_t changes_to_try(const Wish& wish, std::size_t most) {
  constexpr std::size_t kFewValues = 512;
  const std::optional<CoarseList> cells = coarse_list(wish.base.schema, wish.workload);
  const Schema& schema = cells ? cells->schema : wish.base.schema;
  std::size_t values = 0;
  for (const std::uint32_t attribute : largest_asked(wish)) values += schema[attribute].size();
  return values <= kFewValues ? most : std::max<std::size_t>(1, most * kFewValues / values);
}

}  // namespace hearsay::planner
