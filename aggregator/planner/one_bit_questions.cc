#include "aggregator/planner/one_bit_questions.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "aggregator/planner/mixed_circles.h"
#include "aggregator/planner/question_plan.h"
#include "aggregator/planner/workload_plan.h"

namespace hearsay::planner {
namespace {

template <class Kind>
bool has_some(const Workload& workload) {
  const std::vector<Mixture::Part> parts = parts_of(workload);
  return std::any_of(parts.begin(), parts.end(),
                     [](const Mixture::Part& part) { return std::holds_alternative<Kind>(part.workload); });
}

void propose_families(const Schema& schema, const Workload& workload, std::vector<OneBitProposal>& proposals) {
  std::vector<std::pair<const char*, std::vector<QuestionFamily>>> choices{
      {"half-circles for ranges", for_ranges(QuestionFamily::kRanges, schema)}};
  if (!has_only<Ranges, Boxes>(workload)) {
    choices.emplace_back("half-circles for prefixes", for_ranges(QuestionFamily::kPrefixes, schema));
  }
  if (has_some<Means>(workload)) {
    choices.emplace_back("thresholds", for_ranges(QuestionFamily::kThresholds, schema));
  }
  if (has_some<std::vector<Query>>(workload)) {
    choices.emplace_back("questions that fit each attribute", fitting_families(workload, schema));
  }
  std::vector<std::vector<QuestionSpec>> known{{}};  // parities only
  for (const auto& [name, families] : choices) {
    const Result<QuestionPlan> plan = plan_questions(schema, workload, families);
    if (plan && std::find(known.begin(), known.end(), plan->spec.questions) != known.end()) continue;
    proposals.push_back(
        {name, order_of(workload), plan ? Result<SampledSpec>(plan->spec) : Result<SampledSpec>(plan.error())});
    if (!plan) break;
    known.push_back(plan->spec.questions);
  }
}

}  // namespace

std::vector<OneBitProposal> one_bit_questions(const Schema& schema, const Workload& workload) {
  std::vector<OneBitProposal> proposals;
  if (!integer_ranges(schema).empty() && !has_only<Functions>(workload)) {
    propose_families(schema, workload, proposals);
  }
  if (std::optional<SampledSpec> mixed = mixed_circles(schema, workload)) {
    proposals.push_back({"half-circles for all classes", 1, *std::move(mixed)});
  }
  return proposals;
}

}  // namespace hearsay::planner
