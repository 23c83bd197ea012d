// Makes the intervals and warnings of an answer, alike for all channels.
#pragma once

#include <cstdint>

#include "aggregator/estimator/error_law.h"
#include "aggregator/estimator/estimate.h"

namespace hearsay::estimator {

// What a channel knows about the value of a query.
struct Findings {
  double value;
  double variance;
  double guaranteed_half_width;
  double influence;
  bool few_reports;  // the normal interval covers too seldom
};

// β = 1 - confidence. If the class means of a query were estimated from sampled records, the error of these means may
// use this share of β. All other errors use the rest.
inline constexpr double kSampledMeansShare = 0.1;

// Returns true if the normal interval misses ω at least a quarter more often than the confidence says: if it covers
// less than 93.75 % where 95 % are promised. Returns false for a normal law. `falls`: see ErrorLaw::coverage(). Errors:
// kInvalidArgument (confidence).
Result<bool> covers_too_seldom(const ErrorLaw& law, double variance, double falls, double confidence);

// Returns the part of β = 1 - confidence that is left for noise, sampling and instances.
double beta_without_class_means(const compiler::LinearQuery& query, double confidence);

// Returns Var_x f among the reporters, for an f with this mean: ω(1-ω) for a query.
double population_variance(const compiler::LinearQuery& query, double mean);

// Returns by how much the estimated variance falls as the value rises; see ErrorLaw::coverage(). 0 for functions that
// are not queries.
double variance_falls(const compiler::LinearQuery& query, double value, double reports);

// Returns the variance that sampled class means add to the value.
double class_mean_variance(const compiler::LinearQuery& query, double value);

// Makes the answer. Adds the error of sampled class means to the guaranteed interval. Errors: kInvalidArgument
// (confidence).
Result<Estimate> make_answer(const compiler::LinearQuery& query, const Findings& findings, std::uint64_t reports,
                             double confidence);

}  // namespace hearsay::estimator
