#include "aggregator/planner/mixture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "aggregator/planner/plan.h"
#include "common/base/try.h"

namespace hearsay::planner {
namespace {

constexpr double kMixedTotal = 1U << 30U;

double total_of(const SampledSpec& spec) {
  double total = 0;
  for (const GroupWeight& group : spec.groups) total += group.weight;
  return total;
}

void add(const SampledSpec& spec, double share, SampledSpec& mixture) {
  if (share == 0) return;
  const double total = total_of(spec);
  for (const GroupWeight& group : spec.groups) {
    // The weight is at least 1, since a query may need the group.
    const auto weight =
        static_cast<std::uint32_t>(std::max(1L, std::lround(group.weight / total * share * kMixedTotal)));
    const auto known = std::find_if(mixture.groups.begin(), mixture.groups.end(), [&](const GroupWeight& other) {
      return other.kind == group.kind && other.size == group.size && other.attributes == group.attributes &&
             other.odds == group.odds;
    });
    if (known != mixture.groups.end()) {
      known->weight += weight;
      continue;
    }
    mixture.groups.push_back(group);
    mixture.groups.back().weight = weight;
  }
}

SampledSpec mixture_of(const SampledSpec& a, const SampledSpec& b, double t) {
  SampledSpec mixture;
  add(a, 1 - t, mixture);
  add(b, t, mixture);
  return mixture;
}

using Planning = std::vector<Result<PlannedQuery>> (*)(const Task&, const std::vector<Query>&, const Target&);

// Returns the largest variance of the queries. The number of users is proportional to this variance.
Result<double> worst_variance(const TaskSpec& base, std::uint32_t order, SampledSpec spec,
                              const std::vector<Query>& queries, Planning planning) {
  constexpr Target kAnyTarget{0.5, 0.5};  // the variance does not depend on the target
  TaskSpec changed = base;
  changed.arrangement = CharactersSpec{order};
  changed.channel = std::move(spec);
  HEARSAY_TRY(const Task task, Task::create(std::move(changed)));
  double worst = 0;
  for (const Result<PlannedQuery>& line : planning(task, queries, kAnyTarget)) {
    if (!line) return line.error();
    worst = std::max(worst, line->variance.worst_among_reporters);
  }
  return worst;
}

}  // namespace

// Searches by golden section, and tries the ends. In all tested cases, the worst variance falls and then rises along t.
// If quick plans give only bounds on the variance, the search follows these bounds, and may stop at t = 0 or t = 1.
Result<SampledSpec> best_mixture(const TaskSpec& base, std::uint32_t order, const SampledSpec& a, const SampledSpec& b,
                                 const std::vector<Query>& queries) {
  constexpr int kSteps = 6;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  std::vector<std::pair<double, double>> tried;
  const auto variance_at = [&](double t) -> Result<double> {
    HEARSAY_TRY(const double variance, worst_variance(base, order, mixture_of(a, b, t), queries, quick_plan));
    tried.emplace_back(variance, t);
    return variance;
  };
  for (const double end : {0.0, 1.0}) HEARSAY_CHECK_OK(variance_at(end));
  double low = 0;
  double high = 1;
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  HEARSAY_TRY(double at_left, variance_at(left));
  HEARSAY_TRY(double at_right, variance_at(right));
  for (int step = 0; step < kSteps; ++step) {
    if (at_left <= at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - golden * (high - low);
      HEARSAY_TRY(at_left, variance_at(left));
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + golden * (high - low);
      HEARSAY_TRY(at_right, variance_at(right));
    }
  }
  double best = std::min_element(tried.begin(), tried.end())->second;
  double least = std::numeric_limits<double>::infinity();
  for (const double t : {best, 0.0, 1.0}) {
    HEARSAY_TRY(const double variance, worst_variance(base, order, mixture_of(a, b, t), queries, plan));
    if (variance < least) best = t;
    least = std::min(least, variance);
  }
  return mixture_of(a, b, best);
}

}  // namespace hearsay::planner
