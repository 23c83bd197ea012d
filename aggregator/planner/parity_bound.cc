#include "aggregator/planner/parity_bound.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

#include "aggregator/planner/plan.h"
#include "aggregator/planner/question_plan.h"
#include "aggregator/planner/smooth_maximum.h"
#include "common/channel/sampled.h"

namespace hearsay::planner {
namespace {

bool has_many_patterns(const std::vector<Query>& queries, const Schema& schema) {
  constexpr std::uint32_t kMany = 12;  // bits
  return std::ranges::any_of(queries, [&](const Query& query) {
    std::uint32_t bits = 0;
    for (const std::uint32_t attribute : query.attributes()) bits += bits_of(schema[attribute]);
    return bits > kMany;
  });
}

}  // namespace

// In the uniform population a group of m bits is as good as single parities with (2^m - 1)·γ_m² in place of γ_1². A
// factor is left for continuations of queries to bit patterns without a value.
bool parities_are_dear(const TaskSpec& base, const Workload& workload, const std::vector<Query>& queries,
                       double ratio) {
  constexpr double kOfContinuations = 8;
  if (!std::holds_alternative<std::vector<Query>>(workload) || !has_many_patterns(queries, base.schema)) return false;
  if (!std::isfinite(ratio)) return false;
  const auto plan = plan_questions(base.schema, workload, for_ranges(QuestionFamily::kParities, base.schema));
  if (!plan) return false;
  const double epsilon = base.epsilon.approximate();
  double gain = 1;
  for (std::uint32_t m = 2; m <= SampledChannel::kMaxWidth; ++m) {
    const double part = truth_of(epsilon, m) / truth_of(epsilon, 1);
    gain = std::max(gain, (std::exp2(m) - 1) * part * part);
  }
  const double of_singles = limit_ratio(plan->lower_bound / std::pow(truth_of(epsilon, 1), 2), epsilon);
  return of_singles > kOfContinuations * gain * ratio;
}

}  // namespace hearsay::planner
