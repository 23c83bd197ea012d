#include "aggregator/cli/design_warnings.h"

#include <cmath>
#include <cstdio>

#include "common/schema/names.h"

namespace hearsay::cli {
namespace {

// At ε = 8, a yes/no answer is true with probability e^8/(1 + e^8) = 0.9997, so a report reveals the answer.
constexpr double kLargeEpsilon = 8;

void mark(const planner::Workload& workload, const Schema& schema, std::vector<bool>& named) {
  if (const auto* queries = std::get_if<std::vector<Query>>(&workload)) {
    for (const Query& query : *queries) {
      for (const std::uint32_t attribute : query.attributes()) named[attribute] = true;
    }
    return;
  }
  const bool all =
      std::holds_alternative<planner::Conjunctions>(workload) || std::holds_alternative<planner::Functions>(workload);
  if (all) named.assign(schema.size(), true);
  for (const std::uint32_t attribute : planner::integer_ranges(schema)) named[attribute] = true;
}

std::string unnamed_attributes(const Schema& schema, const planner::Workload& workload) {
  constexpr std::size_t kMaxShown = 8;
  std::vector<bool> named(schema.size());
  for (const planner::Mixture::Part& part : planner::parts_of(workload)) mark(part.workload, schema, named);
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (named[i]) continue;
    if (++count <= kMaxShown) names += (names.empty() ? "" : ", ") + shown_name(schema[i].name());
  }
  if (count == 0) return {};
  if (count > kMaxShown) names += " and " + std::to_string(count - kMaxShown) + " more";
  return "no query names " + names +
         ": every device must know these attributes all the same, and the task may be unable to answer queries about "
         "them. Ask about these attributes, or leave them out of the schema (hearsay schema --leave-out)";
}

std::string large_epsilon(const Epsilon& epsilon) {
  const double value = epsilon.approximate();
  if (value <= kLargeEpsilon) return {};
  char truth[16];
  std::snprintf(truth, sizeof truth, "%.6f", 1 / (1 + std::exp(-value)));
  return "epsilon " + epsilon.to_string() + " is beyond what is commonly thought private: a report may then answer a " +
         "yes/no question truly with probability " + truth + ". Use at most 8, better 1, and ask more people";
}

}  // namespace

std::vector<std::string> warnings_of(const TaskSpec& task, const planner::Workload& workload) {
  std::vector<std::string> warnings;
  for (std::string warning : {unnamed_attributes(task.schema, workload), large_epsilon(task.epsilon)}) {
    if (!warning.empty()) warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace hearsay::cli
