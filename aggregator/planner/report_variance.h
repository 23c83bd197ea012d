// The variance of an estimate before anybody reports.
#pragma once

#include "aggregator/compiler/linear_query.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// n times the variance of the estimate from n reports; with `sampled`, when as many reports draw each group as are
// expected to.
struct ReportVariance {
  // `laplace`: as worst_among_reporters. `sampled`: in a population where every coordinate that the query uses has mean
  // 0 and all are uncorrelated (for characters of booleans the uniform one), drawn anew: Σ_j g_j²/I_j, with I_j the
  // information that a report carries about coordinate j.
  double average;
  // The largest over populations, drawn anew; comparable with the one-query limit. Without the drawing for `laplace`.
  double worst;
  // The largest over populations, for the fraction among the reporters themselves: what the estimator's standard error
  // states.
  double worst_among_reporters;
  // n times the most that one report can move the estimate.
  double influence;
};

// The query must be compiled for the task. All populations count for worst-case queries, the (f,ω,n)-random ones for
// average-case queries. For `sampled` exact to 0.1 % while groups · combinations of values is at most 2^16; beyond, an
// upper bound. Cost: up to some 0.1 s. Thread-safe.
ReportVariance report_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

}  // namespace hearsay::planner
