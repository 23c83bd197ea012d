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
  double sampled;                            // variance from sampled class means, which does not shrink with users
  double limit_ratio;                        // limit_ratio(variance.worst, ε)
  std::uint64_t users_exact;                 // for variance.worst_among_reporters, by the normal quantile
  std::uint64_t users_average;               // the same for variance.average, unless it, with the drawing, is larger
  std::optional<std::uint64_t> users_paper;  // `laplace`: by Theorem 7, (20) with both tails of its proof within beta
  std::size_t report_bytes;                  // of one encoded report
};

// The users for people drawn anew over those of the one-query limit c²/4, c = (e^ε+1)/(e^ε-1): one report of randomized
// response that asks this query alone, for people drawn anew from a population with ω = 1/2. The same for all channels.
double limit_ratio(double worst, double epsilon);

// Least number of users with z²·variance/n + z²·sampled <= α², z the two-sided normal quantile of β; `sampled` is the
// part of the variance that comes from sampled class means and does not shrink with n. Errors: kOverflow (more than
// 2^53), kLimitExceeded (`sampled` alone is too large).
Result<std::uint64_t> users_for(double variance, double sampled, const Target& target);

// Whether the estimate of so many users is near enough to normal for the quantile to mean what it says: an excess
// kurtosis of at most 0.1. Beyond, errors above alpha can be more frequent than beta.
bool near_normal(const ReportVariance& variance, std::uint64_t users);

// What a reader of users_exact, or of users_worst, must know about them, in words: that they are an upper bound, and
// that they are too few for the normal quantile. Empty if neither.
std::vector<std::string> remarks_on_users(bool at_most, bool near_normal);

// A query the task cannot answer keeps its error in place of a plan. Errors of a line: those of compiling the query;
// kInvalidArgument (target), kOverflow (more than 2^53 users), kLimitExceeded (sampled class means too inexact for
// alpha). Where class means are sampled, the draws are fresh: plans of such a query differ a little from call to call.
// Thread-safe.
std::vector<Result<PlannedQuery>> plan(const Task& task, const std::vector<Query>& queries, const Target& target);

// The same by quick_variance(): a line that is not exact has no more than upper bounds where plan() may know better.
std::vector<Result<PlannedQuery>> quick_plan(const Task& task, const std::vector<Query>& queries, const Target& target);

// The same by average_variance(): of a line that is not exact only users_average is right.
std::vector<Result<PlannedQuery>> average_plan(const Task& task, const std::vector<Query>& queries,
                                               const Target& target);

}  // namespace hearsay::planner
