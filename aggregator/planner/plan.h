// Says what a task can answer, and with how many users, before anybody reports.
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

// The accuracy that a plan aims at: |ω̂ - ω| <= alpha with probability at least 1 - beta. ω is the true fraction, ω̂
// the estimate.
struct Target {
  double alpha;  // in (0, 1)
  double beta;   // in (0, 1)
};

// Errors: kInvalidArgument unless alpha and beta lie strictly between 0 and 1.
Result<void> check_target(const Target& target);

// One line of a plan. Numbers of users are rounded up.
struct PlannedQuery {
  Query query;
  compiler::Guarantee guarantee;
  double margin;            // γ̃(f), the margin of the query f (compiler/linear_query.h)
  ReportVariance variance;  // of the estimate
  double sampled;           // variance from sampled class means, which more users do not lower
  double limit_ratio;       // limit_ratio(variance.worst, ε)
  // Users for variance.worst_among_reporters, by the normal quantile.
  std::uint64_t users_exact;
  // Users for variance.average. This number is at most users_exact.
  std::uint64_t users_average;
  // For `laplace`: the users that Theorem 7 of Aldà and Simon 2014 needs (aggregator/tails/paper.h).
  std::optional<std::uint64_t> users_paper;
  std::size_t report_bytes;  // of one encoded report
};

// Returns the users for people drawn anew, divided by the users of the one-query limit c²/4, c = (e^ε+1)/(e^ε-1). The
// limit is the variance of randomized response that asks one query alone, for people drawn anew from a population with
// ω = 1/2. The limit is the same for all channels. `worst` is ReportVariance::worst.
double limit_ratio(double worst, double epsilon);

// Returns the least n with z²·variance/n + z²·sampled <= α², where z is the two-sided normal quantile of β. `sampled`
// is the part of the variance that comes from sampled class means and does not shrink with n. Errors: kOverflow (more
// than 2^53), kLimitExceeded (`sampled` alone is too large).
Result<std::uint64_t> users_for(double variance, double sampled, const Target& target);

// Returns true if the estimate from `users` users is near enough to normal: its excess kurtosis is at most 0.1.
// Otherwise errors above alpha can be more frequent than beta.
bool near_normal(const ReportVariance& variance, std::uint64_t users);

// Returns remarks on users_exact or users_worst, for people: "this is an upper bound" and "these are too few for the
// normal quantile". The list is empty if neither remark applies.
std::vector<std::string> remarks_on_users(bool at_most, bool near_normal);

// Plans each query. If the task cannot answer a query, the query's element is an error. Errors of an element: those of
// compiling the query; kInvalidArgument (target), kOverflow (more than 2^53 users), kLimitExceeded (sampled class means
// are too inexact for alpha). If class means are sampled, the task's id determines the sample, so plans differ a little
// between tasks that differ only in their ids. Thread-safe.
std::vector<Result<PlannedQuery>> plan(const Task& task, const std::vector<Query>& queries, const Target& target);

// Plans each query with quick_variance(). A line that is not exact may have upper bounds where plan() has exact
// numbers.
std::vector<Result<PlannedQuery>> quick_plan(const Task& task, const std::vector<Query>& queries, const Target& target);

// Plans each query with average_variance(). In a line that is not exact, only users_average is right.
std::vector<Result<PlannedQuery>> average_plan(const Task& task, const std::vector<Query>& queries,
                                               const Target& target);

}  // namespace hearsay::planner
