#include "aggregator/planner/known_plans.h"

#include <cstdio>
#include <utility>
#include <variant>

namespace hearsay::planner {
namespace {

// Returns a text that differs between different schemas and between different workloads.
std::string words_of(const Schema& schema, const Workload& workload) {
  std::string words = schema.to_json();
  for (const Mixture::Part& part : parts_of(workload)) {
    char weight[32];
    std::snprintf(weight, sizeof weight, "%a", part.weight);
    words += '\n' + describe(part.workload) + ' ' + weight;
    const auto* queries = std::get_if<std::vector<Query>>(&part.workload);
    if (queries == nullptr) continue;
    for (const Query& query : *queries) words += '\n' + query.to_string(schema);
  }
  return words;
}

}  // namespace

const std::vector<OneBitProposal>& KnownPlans::one_bit(const Schema& schema, const Workload& workload) {
  std::string words = words_of(schema, workload);
  auto known = one_bit_.find(words);
  if (known == one_bit_.end()) {
    known = one_bit_.emplace(std::move(words), one_bit_questions(schema, workload)).first;
  }
  return known->second;
}

const Result<RangeQuestions>& KnownPlans::ranges(std::uint32_t values, double epsilon, std::uint32_t attributes) {
  const std::tuple key(values, epsilon, attributes);
  auto known = ranges_.find(key);
  if (known == ranges_.end()) known = ranges_.emplace(key, range_questions(values, epsilon, attributes)).first;
  return known->second;
}

}  // namespace hearsay::planner
