// Questions about an unordered attribute, for the fractions that have one of its values.
#pragma once

#include <cstdint>

#include "hearsay/mechanism.h"

namespace hearsay::planner {

// n·Var of the estimate of the fraction that has one given value, from n reports of people drawn anew that each are
// asked about this attribute alone.
struct PointVariance {
  double rare;   // where nobody has the value: what the literature states of frequency oracles
  double worst;  // the largest over populations
};

// Parities (mechanism.h) are a pairwise uniform hash of the value into K = 2^bits parts: of N = 2^b bit patterns, two
// that differ are in one part with probability (N/K - 1)/(N - 1). Exact for J = N values and for bits = b. Otherwise
// the values' parts differ in size; this takes the average over all sets of J patterns. `values`: J, from 2 to 2^20;
// `bits`: from 1 to b = ⌈log2 J⌉.
PointVariance parity_variance(std::uint32_t values, std::uint32_t bits, double epsilon);

// The same for HashQuestions. Exact where the values fill all places. `values`: J, from 2 to Questions::kMaxHashed;
// `answers`: from 2 to J.
PointVariance hash_variance(std::uint32_t values, std::uint32_t answers, double epsilon);

struct PointQuestions {
  QuestionSpec questions;
  std::uint32_t answers;
  PointVariance variance;
};

// The questions with the least variance, where nobody has the value and over the worst population. Rare values are best
// told apart by about e^ε + 1 answers, or by one for each value if there are fewer values; frequent ones, at large ε,
// by fewer.
PointQuestions questions_for_rare_points(std::uint32_t values, double epsilon);
PointQuestions questions_for_all_points(std::uint32_t values, double epsilon);

}  // namespace hearsay::planner
