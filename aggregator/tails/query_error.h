// Computes what one report contributes to the error of a compiled query.
#pragma once

#include "aggregator/compiler/linear_query.h"
#include "aggregator/tails/chernoff.h"
#include "common/channel/laplace.h"
#include "hearsay/result.h"

namespace hearsay::tails {

// Returns Σ g_j²·v_j, the variance of the noise that one report adds to the query's value. g are the query's weights,
// and v the noise variances. The query must be compiled for a task of this channel.
double noise_variance(const LaplaceChannel& channel, const compiler::LinearQuery& query);

// Returns the error of one report: its noise, and for average-case queries also the instance term ⟨a(x), g⟩ - E[⟨a(x),
// g⟩ | f(x)]. If the class means were sampled, the classes' variances are only estimates. So the range, not the
// variance, then describes the instance term.
ReportError report_error(const LaplaceChannel& channel, const compiler::LinearQuery& query);

// Adds the instance term of an average-case query, for callers that describe the noise of their channel themselves. No
// coordinate is larger than `largest_entry` in size.
void add_instances(const compiler::LinearQuery& query, ReportError& error, double largest_entry = 1);

// Returns true if the class means of the query were sampled.
bool has_sampled_means(const compiler::LinearQuery& query);

// Returns an upper bound on the error that sampled class means cause in every estimate of the query, whatever the
// number of reports. The bound holds with probability 1 - beta over the sampling (the empirical Bernstein bound, Maurer
// and Pontil 2009, Theorem 4). Returns 0 if the means are exact. beta is in (0, 1). Errors: kInvalidArgument (a class
// of one sampled member, from which no bound follows).
Result<double> class_mean_half_width(const compiler::LinearQuery& query, double beta);

}  // namespace hearsay::tails
