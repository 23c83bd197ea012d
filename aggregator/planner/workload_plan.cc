#include "aggregator/planner/workload_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "common/base/try.h"
#include "common/channel/channel.h"

namespace hearsay::planner {

Result<const std::vector<ClassPart>*> Parts::of(Symmetry symmetry) {
  auto known = parts_.find(symmetry);
  if (known == parts_.end()) {
    std::optional<std::vector<ClassPart>> found;
    if (const auto* conjunctions = std::get_if<Conjunctions>(&workload_)) {
      found = class_parts(*conjunctions, schema_, symmetry);
    } else {
      found = class_parts(std::get<Functions>(workload_), schema_, symmetry);
    }
    known = parts_.emplace(symmetry, std::move(found)).first;
  }
  if (known->second) return &*known->second;
  return Error{ErrorCode::kLimitExceeded,
               "too many choices of attributes to find the worst query: plan fewer literals or attributes together, or "
               "a list of queries"};
}

namespace {

bool asks_parities(const Task& task) {
  const auto* channel = std::get_if<SampledChannel>(&task.channel().kind());
  return channel != nullptr && symmetry_of(task) == Symmetry::kBitPatterns && channel->asks_parities();
}

// Replaces upper bounds by exact plans, for the dearest queries first, until all remaining bounds are below the largest
// result.
Result<void> plan_dearest(const Task& task, const Target& target, std::vector<Result<PlannedQuery>>& lines) {
  double worst = 0;
  double among = 0;
  std::vector<PlannedQuery*> bounded;
  for (Result<PlannedQuery>& line : lines) {
    if (!line->variance.exact) {
      bounded.push_back(&*line);
      continue;
    }
    worst = std::max(worst, line->variance.worst);
    among = std::max(among, line->variance.worst_among_reporters);
  }
  std::stable_sort(bounded.begin(), bounded.end(), [](const PlannedQuery* a, const PlannedQuery* b) {
    return a->variance.worst_among_reporters > b->variance.worst_among_reporters;
  });
  for (PlannedQuery* line : bounded) {
    if (line->variance.worst > worst || line->variance.worst_among_reporters > among) {
      HEARSAY_TRY(*line, std::move(plan(task, {line->query}, target).front()));
      worst = std::max(worst, line->variance.worst);
      among = std::max(among, line->variance.worst_among_reporters);
    } else {
      line->users_exact = 0;  // another query needs at least as many users
      line->limit_ratio = 0;
      line->variance.exact = true;
    }
  }
  return {};
}

// Plans a list of queries. If `is_class`, the queries stand for a class, and only their average counts.
Result<WorkloadPlan> plan_list(const Task& task, const std::vector<Query>& queries, bool is_class,
                               const Target& target) {
  WorkloadPlan result{compiler::Guarantee::kWorstCase, 0, false, true, 0, 0, 0, "", 0};
  const bool quick = asks_parities(task);
  const auto planning = is_class ? average_plan : quick ? quick_plan : plan;
  std::vector<Result<PlannedQuery>> lines = planning(task, queries, target);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool of_a_bound = quick && !lines[i] && lines[i].error().code == ErrorCode::kOverflow;
    if (of_a_bound) lines[i] = std::move(plan(task, {queries[i]}, target).front());
    if (!lines[i]) return lines[i].error();
  }
  if (quick && !is_class) HEARSAY_CHECK_OK(plan_dearest(task, target, lines));
  double average = 0;
  for (const Result<PlannedQuery>& line : lines) {
    if (line->guarantee == compiler::Guarantee::kAverageCase) result.guarantee = compiler::Guarantee::kAverageCase;
    if (line->users_exact >= result.users_worst) {
      result.users_worst = line->users_exact;
      result.near_normal = near_normal(line->variance, line->users_exact);
      result.worst_query = line->query.as_written(task.schema());
    }
    average += static_cast<double>(line->users_average) / static_cast<double>(queries.size());
    result.at_most = result.at_most || !line->variance.exact;
    result.limit_ratio = std::max(result.limit_ratio, line->limit_ratio);
    result.influence = std::max(result.influence, line->variance.influence);
    result.report_bytes = line->report_bytes;
  }
  result.users_average = static_cast<std::uint64_t>(std::ceil(average));
  return result;
}

}  // namespace

// The representatives of a class give the average, and say whether the task can answer the class. The search for the
// worst query covers the whole class.
Result<WorkloadPlan> plan_workload(const Task& task, const Workload& workload, const std::vector<Query>& queries,
                                   Parts& parts, const Target& target, Wanted wanted) {
  const bool is_list = std::holds_alternative<std::vector<Query>>(workload);
  WorkloadPlan result{compiler::Guarantee::kWorstCase, 0, false, true, 0, 0, 0, "", 0};
  if (wanted == Wanted::kBest && is_ordered(workload)) {
    HEARSAY_TRY(result, plan_list(task, {queries.front()}, true, target));
    result.users_average = std::numeric_limits<std::uint64_t>::max();
  } else {
    HEARSAY_TRY(result, plan_list(task, queries, !is_list, target));
  }
  if (is_list) return result;
  const std::vector<ClassPart> none;
  const std::vector<ClassPart>* of_task = &none;
  if (has_parts(task, workload)) {
    HEARSAY_TRY(of_task, parts.of(symmetry_of(task)));
  }
  HEARSAY_TRY(const WorstQuery worst, worst_query(task, workload, *of_task));
  HEARSAY_TRY(result.users_worst, users_for(worst.variance.worst_among_reporters, 0, target));
  if (has_only<Means>(workload)) {
    HEARSAY_TRY(result.users_average,
                users_for(std::min(worst.variance.average, worst.variance.worst_among_reporters), 0, target));
  }
  result.users_average = std::min(result.users_average, result.users_worst);
  result.at_most = !worst.variance.exact;
  result.near_normal = near_normal(worst.variance, result.users_worst);
  result.limit_ratio = limit_ratio(worst.variance.worst, task.epsilon().approximate());
  result.influence = worst.variance.influence;
  result.worst_query = worst.query;
  return result;
}

}  // namespace hearsay::planner
