// The variance of an estimate before anybody reports.
#pragma once

#include "aggregator/compiler/linear_query.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// n times the variance of the estimate from n reports; with `sampled`, when as many reports draw each group as are
// expected to, or, in a task that asks other questions than parities of one bit, each kind of groups and set of
// attributes. All populations count for worst-case queries, the (f,ω,n)-random ones for average-case queries.
struct ReportVariance {
  // `laplace`: as worst_among_reporters. `sampled`: in a population where every coordinate that the query uses has mean
  // 0 and all are uncorrelated (for characters of booleans the uniform one), drawn anew: Σ_j g_j²/I_j, with I_j the
  // information that a report carries about coordinate j. With other questions than parities of one bit, when all
  // answers are equally likely: Σ_T E_T/I_T over sets of attributes (set_prices.h).
  double average;
  // The largest over populations, of the estimate for people drawn anew: the respondents' ω(1-ω) counts, as in the
  // one-query limit.
  double worst;
  // The largest over populations, of the error against the fraction among the reporters themselves: what the
  // estimator's standard error states.
  double worst_among_reporters;
  // n times the most that one report can move the estimate.
  double influence;
  // n times the excess kurtosis of the estimate; for `sampled` an upper bound on its size, influence² over the
  // variance.
  double kurtosis;
  // Whether some population attains both, within 0.01 % of it or of `average`. Otherwise they are upper bounds.
  bool exact;
};

// The query must be compiled for the task. Exact unless it has very many values: for `sampled` on literals, groups
// times combinations of values beyond 2^16; on characters, beyond some 2^20 bit patterns, or, with other questions than
// parities of one bit, 2^27 products of values, functions and sets of attributes. Cost: milliseconds; up to seconds for
// 2^20 combinations and more. Thread-safe.
ReportVariance report_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

// The same, but for many values in milliseconds, too: then only `average`, `influence` and upper bounds are right.
ReportVariance quick_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

// The same, but for many values only `average` is right.
ReportVariance average_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

}  // namespace hearsay::planner
