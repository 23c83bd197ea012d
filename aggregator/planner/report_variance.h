// Computes the variance of an estimate before anybody reports.
#pragma once

#include "aggregator/compiler/linear_query.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// n times the variance of the estimate from n reports. With `sampled`, this variance assumes that each group has its
// expected number of reports. If the task asks other questions than parities of one bit, the variance assumes instead
// that each kind of groups has its expected number of reports about each set of attributes. For worst-case
// queries all populations count. For average-case queries only the (f,ω,n)-random databases of Aldà and Simon 2014
// count.
struct ReportVariance {
  // `laplace`: the same as worst_among_reporters. `sampled`: the variance in a population drawn anew in which all
  // coordinates of the query have mean 0 and are uncorrelated. For characters of booleans, the uniform population is
  // such a population. The variance is Σ_j g_j²/I_j, where g_j is the query's weight and I_j the information that a
  // report carries about coordinate j. `sampled` with other questions than parities of one bit: the variance if all
  // answers are equally likely. This variance is Σ_T E_T/I_T over sets of attributes (set_prices.h).
  double average;
  // The largest variance over populations, for people drawn anew. This variance includes the people's ω(1-ω), as the
  // one-query limit does.
  double worst;
  // The largest variance over populations of the error against the fraction among the reporters themselves. The
  // estimator's standard error is for this error.
  double worst_among_reporters;
  // n times the largest change of the estimate by one report.
  double influence;
  // n times the excess kurtosis of the estimate. For `sampled`, an upper bound on its magnitude: influence² over the
  // variance.
  double kurtosis;
  // True if `worst` and `worst_among_reporters` are off by at most 0.01 % of their size or of `average`, whichever is
  // larger. Otherwise both are upper bounds.
  bool exact;
};

// Returns the variance of the query's estimate. The query must be compiled for the task. The result is exact unless the
// query has very many values: for `sampled` on literals, more than 2^16 groups times combinations of values; on
// characters, more than about 2^20 bit patterns. With other questions than parities of one bit, the limit is 2^27
// products of values, functions and sets of attributes. Cost: milliseconds; up to seconds for 2^20 combinations and
// more. Thread-safe.
ReportVariance report_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

// Does the same as report_variance(), but takes only milliseconds for parities of one bit (`sampled` on `characters`).
// For such parities and many bit patterns, `average` and `influence` are right, and the other numbers are upper bounds.
ReportVariance quick_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

// Does the same as report_variance(), but for parities of one bit (`sampled` on `characters`) only `average` is right.
ReportVariance average_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear);

}  // namespace hearsay::planner
