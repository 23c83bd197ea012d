// Plans questions about an unordered attribute, for queries on one of the attribute's values.
#pragma once

#include <cstdint>

#include "hearsay/mechanism.h"

namespace hearsay::planner {

// The number n·Var of the estimate of the fraction ω of people that have one given value. Here n people, drawn anew,
// each answer about the value's attribute alone.
struct PointVariance {
  // n·Var for ω = 0. The literature on frequency oracles states this variance.
  double rare;
  double worst;  // the largest over populations
};

// Returns the variance of parities (mechanism.h). Parities are a pairwise uniform hash of the value into K = 2^bits
// parts. Two different patterns out of N = 2^b share a part with probability (N/K - 1)/(N - 1). The result is exact for
// J = N values, and for bits = b. Otherwise the parts differ in size, and the result averages over all sets of J
// patterns. `values` is J, from 2 to 2^20. `bits` is from 1 to b = ⌈log2 J⌉.
PointVariance parity_variance(std::uint32_t values, std::uint32_t bits, double epsilon);

// Returns the variance of HashQuestions. The result is exact if the values fill all places of the hash. `values` is J,
// from 2 to Questions::kMaxHashed. `answers` is from 2 to J.
PointVariance hash_variance(std::uint32_t values, std::uint32_t answers, double epsilon);

struct PointQuestions {
  QuestionSpec questions;
  std::uint32_t answers;
  PointVariance variance;
};

// questions_for_rare_points() returns the questions with the least variance if nobody has the value.
// questions_for_all_points() returns the questions with the least variance over the worst population. Both return
// parities if hashes are better by at most 0.5 %. For rare values the best number of answers is about e^ε + 1, or the
// number of values if that is less. For frequent values at large ε, fewer answers are best.
PointQuestions questions_for_rare_points(std::uint32_t values, double epsilon);
PointQuestions questions_for_all_points(std::uint32_t values, double epsilon);

}  // namespace hearsay::planner
