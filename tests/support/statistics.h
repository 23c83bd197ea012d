// Thresholds for statistical tests. Each follows from a false-alarm probability that the test states.
#pragma once

#include <cstdint>

namespace hearsay::tests {

// Returns the z with Pr[|N(0,1)| > z] = false_alarm.
double normal_threshold(double false_alarm);

// Returns the c with Pr[χ²(degrees) > c] = false_alarm.
double chi_square_threshold(double degrees, double false_alarm);

// Returns the smallest central band with Pr[Binomial(n, p) outside [low, high]] <= false_alarm. At most half of the
// probability is on each side.
struct Band {
  std::uint64_t low;
  std::uint64_t high;
  bool contains(std::uint64_t count) const { return low <= count && count <= high; }
};
Band binomial_band(std::uint64_t n, double p, double false_alarm);

// For draws with heavy tails, whose mean is not normal so far from the expectation. Returns the z with Pr[|mean of n
// draws - its expectation| > z standard errors] at most `false_alarm`, by Cramér's expansion of the tails to fourth
// order: Pr ≈ 2·Q(z)·exp(κ₃·z³/(6√n) + (κ₄ - 3κ₃²)·z⁴/(24n)), with κ₃ = |skewness| and κ₄ = excess_kurtosis >= 0 of one
// draw. The term -3κ₃² is left out, which only raises z.
double cramer_threshold(double false_alarm, double n, double skewness, double excess_kurtosis);

}  // namespace hearsay::tests
