// Computes the intervals and warnings of an answer, in the same way for all channels.
#pragma once

#include <cstdint>

#include "aggregator/estimator/error_law.h"
#include "aggregator/estimator/estimate.h"

namespace hearsay::estimator {

// The numbers that a channel computes for a query, from which make_answer() makes the answer.
struct Findings {
  double value;
  double variance;
  double guaranteed_half_width;
  double influence;
  bool few_reports;  // true if the normal interval misses ω with too high a probability
};

// β = 1 - confidence is the probability with which an interval may miss ω, the true fraction. The class means of a
// query f are the means of the coordinates among the records with f = 0 and with f = 1. If the compiler estimated them
// from sampled records, their error may use this share of β. All other errors use the rest.
inline constexpr double kSampledMeansShare = 0.1;

// Returns true if the normal interval misses ω with more than 1.25 times the probability 1 - confidence. For a
// confidence of 95 %, this means that the interval contains ω with a probability below 93.75 %. If the confidence is
// above 99.9 %, checks the interval of 99.9 % instead. Returns false for a normal law, and true for any other law if
// `variance` is 0. For `falls`, see ErrorLaw::coverage(). Errors: kInvalidArgument (confidence).
Result<bool> covers_too_seldom(const ErrorLaw& law, double variance, double falls, double confidence);

// Returns the part of β that is left for all errors except the error of sampled class means.
double beta_without_class_means(const compiler::LinearQuery& query, double confidence);

// Returns the variance among the reporters of a function with this mean. For a query with the mean ω this is ω(1-ω).
double population_variance(const compiler::LinearQuery& query, double mean);

// Returns by how much the estimated variance falls as the value rises; see ErrorLaw::coverage(). Returns 0 for
// functions that are not queries.
double variance_falls(const compiler::LinearQuery& query, double value, double reports);

// Returns the part of the value's variance that comes from class means estimated from sampled records; 0 if there are
// none.
double class_mean_variance(const compiler::LinearQuery& query, double value);

// Makes the answer. Widens the guaranteed interval by the error of sampled class means. Errors: kInvalidArgument
// (confidence; a class mean of one sampled member).
Result<Estimate> make_answer(const compiler::LinearQuery& query, const Findings& findings, std::uint64_t reports,
                             double confidence);

}  // namespace hearsay::estimator
