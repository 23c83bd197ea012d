// What one report contributes to the error of a compiled query.
#pragma once

#include "aggregator/compiler/linear_query.h"
#include "aggregator/tails/chernoff.h"
#include "common/channel/laplace.h"
#include "hearsay/result.h"

namespace hearsay::tails {

// Returns the variance of the noise in the query's value from one report, Σ g_j²·v_j. The query must be compiled for
// the channel.
double noise_variance(const LaplaceChannel& channel, const compiler::LinearQuery& query);

// Returns the noise; for average-case queries also the instance term ⟨a(x), g⟩ - E[⟨a(x), g⟩ | f(x)] of one report. If
// the class means were sampled, the classes' variances are estimates, so only its range bounds the instance term.
ReportError report_error(const LaplaceChannel& channel, const compiler::LinearQuery& query);

// Adds only the instance term of an average-case query, for channels that describe their noise themselves.
void add_instances(const compiler::LinearQuery& query, ReportError& error, double largest_entry = 1);

// Returns true if the class means of the query were sampled.
bool has_sampled_means(const compiler::LinearQuery& query);

// Returns a bound on the error that sampled class means put into every estimate of the query, however many reports
// there are. The bound holds with probability 1 - beta over the sampling (the empirical Bernstein bound, Maurer and
// Pontil 2009, Theorem 4, for a fixed direction g). It is 0 if the means are exact. beta is in (0, 1). Errors:
// kInvalidArgument (a class of one sampled member, which bounds nothing).
Result<double> class_mean_half_width(const compiler::LinearQuery& query, double beta);

}  // namespace hearsay::tails
