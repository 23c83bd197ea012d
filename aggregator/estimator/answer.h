// What all channels' answers have in common: intervals and warnings.
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

// Share of β that the sampling of class means may use up, where they were sampled; the rest is for everything else.
inline constexpr double kSampledMeansShare = 0.1;

// Whether ω lies outside the normal interval at least a quarter more often than the confidence says: below 93.75 %
// where 95 % are promised. `falls`: see ErrorLaw::coverage(). False for a normal law. Errors: kInvalidArgument
// (confidence).
Result<bool> covers_too_seldom(const ErrorLaw& law, double variance, double falls, double confidence);

// What is left of β = 1 - confidence for noise, sampling and instances.
double beta_without_class_means(const compiler::LinearQuery& query, double confidence);

// Var_x f among the reporters, for an f that has this mean: ω(1-ω) for a query.
double population_variance(const compiler::LinearQuery& query, double mean);

// What the estimated variance falls by as the value rises: see ErrorLaw::coverage(). 0 for functions other than queries.
double variance_falls(const compiler::LinearQuery& query, double value, double reports);

// Variance that sampled class means add to the value.
double class_mean_variance(const compiler::LinearQuery& query, double value);

// Adds the error of sampled class means to the guaranteed interval. Errors: kInvalidArgument (confidence).
Result<Estimate> make_answer(const compiler::LinearQuery& query, const Findings& findings, std::uint64_t reports,
                             double confidence);

}  // namespace hearsay::estimator
