// Thresholds for statistical tests, each from a false-alarm probability that the test states.
#pragma once

#include <cstdint>

namespace hearsay::tests {

// z with Pr[|N(0,1)| > z] = false_alarm.
double normal_threshold(double false_alarm);

// c with Pr[χ²(degrees) > c] = false_alarm.
double chi_square_threshold(double degrees, double false_alarm);

// Smallest central band with Pr[Binomial(n, p) outside [low, high]] <= false_alarm, at most half of it on either side.
struct Band {
  std::uint64_t low;
  std::uint64_t high;
  bool contains(std::uint64_t count) const { return low <= count && count <= high; }
};
Band binomial_band(std::uint64_t n, double p, double false_alarm);

// z with Pr[|mean of n draws - its expectation| > z standard errors] at most `false_alarm` by Cramér's expansion of the
// tails to fourth order, Pr ≈ 2·Q(z)·exp(κ₃·z³/(6√n) + (κ₄ - 3κ₃²)·z⁴/(24n)), with κ₃ = |skewness| and κ₄ =
// excess_kurtosis >= 0 of one draw; the term -3κ₃² is left out, which only raises z. For draws with heavy tails, whose
// mean is not yet normal so far out.
double cramer_threshold(double false_alarm, double n, double skewness, double excess_kurtosis);

}  // namespace hearsay::tests
