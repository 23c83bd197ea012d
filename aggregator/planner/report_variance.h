// The variance of an estimate before anybody reports.
#pragma once

#include "aggregator/compiler/linear_query.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// n times the variance of the estimate from n reports. With `sampled`, each group is drawn by as many reports as
// expected; if the task asks other questions than parities of one bit, this holds for each kind of groups and set of
// attributes. For worst-case queries all populations count, for average-case queries the (f,ω,n)-random ones.
struct ReportVariance {
  // `laplace`: as worst_among_reporters.
  // `sampled`: in a population drawn anew where all coordinates of the query have mean 0 and are uncorrelated (for
  // characters of booleans, the uniform one). This is Σ_j g_j²/I_j, where I_j is the information that a report carries
  // about coordinate j.
  // `sampled` with other questions than parities of one bit: when all answers are equally likely. This is Σ_T E_T/I_T
  // over sets of attributes (set_prices.h).
  double average;
  // The largest over populations, for people drawn anew: the respondents' ω(1-ω) counts, as in the one-query limit.
  double worst;
  // The largest over populations of the error against the fraction among the reporters themselves. This is what the
  // estimator's standard error states.
  double worst_among_reporters;
  // n times the most that one report can move the estimate.
  double influence;
  // n times the excess kurtosis of the estimate. For `sampled`, an upper bound on its size: influence² over the
  // variance.
  double kurtosis;
  // True if some population attains both, within 0.01 % of the larger of this and `average`. Otherwise both are upper
  // bounds.
  bool exact;
};

// Returns the variance. The query must be compiled for the task. The result is exact unless the query has very many
// values. These are, for `sampled` on literals, groups times combinations of values beyond 2^16; on characters, beyond
// some 2^20 bit patterns; with other questions than parities of one bit, beyond 2^27 products of values, functions and
// sets of attributes. Cost: milliseconds; up to seconds for 2^20 combinations and more. Thread-safe.
ReportVariance report_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

// The same in milliseconds. For many values, only `average`, `influence` and upper bounds are right.
ReportVariance quick_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

// The same, but for many values only `average` is right.
ReportVariance average_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

}  // namespace hearsay::planner
