// What a task can answer, before anybody reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/arrangement/linear_query.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::aggregator {

// The accuracy asked for: |ω̂ - ω| <= alpha with probability at least 1 - beta.
struct Target {
  double alpha;  // in (0, 1)
  double beta;   // in (0, 1)
};

// One line of a plan. Numbers of users are rounded up.
struct PlannedQuery {
  Query query;
  Guarantee guarantee;
  double margin;                // γ̃(f)
  double variance;              // of the estimate from one report, noise and worst-case instance term: n·Var ω̂
  double limit_ratio;           // variance over the one-query limit c²/4, c = (e^ε+1)/(e^ε-1)
  std::uint64_t users_exact;    // from that variance and the normal quantile
  std::uint64_t users_paper;    // from the bound (20), Theorem 7
  std::size_t report_bytes;     // of one encoded report
};

// A query the task cannot answer keeps its error in place of a plan.
std::vector<Result<PlannedQuery>> plan(const Task& task, const std::vector<Query>& queries, const Target& target);

}  // namespace hearsay::aggregator
