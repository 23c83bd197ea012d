// What a task can answer, before anybody reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/planner/report_variance.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// The accuracy asked for: |ω̂ - ω| <= alpha with probability at least 1 - beta.
struct Target {
  double alpha;  // in (0, 1)
  double beta;   // in (0, 1)
};

// Errors: kInvalidArgument unless both lie strictly in (0, 1).
Result<void> check_target(const Target& target);

// One line of a plan. Numbers of users are rounded up.
struct PlannedQuery {
  Query query;
  compiler::Guarantee guarantee;
  double margin;                             // γ̃(f)
  ReportVariance variance;                   // of one report's estimate
  double limit_ratio;                        // variance.worst over the one-query limit c²/4, c = (e^ε+1)/(e^ε-1)
  std::uint64_t users_exact;                 // for variance.worst_among_reporters, by the normal quantile
  std::uint64_t users_average;               // the same for variance.average, unless it, with the drawing, is larger
  std::optional<std::uint64_t> users_paper;  // `laplace`: by Theorem 7, (20) with both tails of its proof within beta
  std::size_t report_bytes;                  // of one encoded report
};

// A query the task cannot answer keeps its error in place of a plan. Errors of a line: those of compiling the query;
// kInvalidArgument (target), kOverflow (more than 2^53 users), kLimitExceeded (sampled class means too inexact for
// alpha). Where class means are sampled, the draws are fresh: plans of such a query differ a little from call to call.
// Thread-safe.
std::vector<Result<PlannedQuery>> plan(const Task& task, const std::vector<Query>& queries, const Target& target);

}  // namespace hearsay::planner
