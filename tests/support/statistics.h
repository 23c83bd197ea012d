// Thresholds for statistical tests. Each threshold follows from a false-alarm probability that the test states.
#pragma once

#include <cstdint>

namespace hearsay::tests {

// Returns the z with Pr[|N(0,1)| > z] = false_alarm.
double normal_threshold(double false_alarm);

// Returns the c with Pr[χ²(degrees) > c] = false_alarm.
double chi_square_threshold(double degrees, double false_alarm);

// Returns a central band with Pr[Binomial(n, p) outside [low, high]] <= false_alarm. At most half of this probability
// is on each side. Each end of the band is at most one unit further out than needed.
struct Band {
  std::uint64_t low;
  std::uint64_t high;
  bool contains(std::uint64_t count) const { return low <= count && count <= high; }
};
Band binomial_band(std::uint64_t n, double p, double false_alarm);

// Returns a threshold z for the mean of n draws with heavy tails, for which a normal threshold is too low. The
// probability that the mean is more than z standard errors off is at most `false_alarm`. This follows from Cramér's
// expansion of the tails to fourth order: Pr ≈ 2·Q(z)·exp(κ₃·z³/(6√n) + (κ₄ - 3κ₃²)·z⁴/(24n)). Q is the upper tail of
// the standard normal law; κ₃ = |skewness| and κ₄ = excess_kurtosis >= 0 of one draw. The term -3κ₃² is left out,
// which only raises z.
double cramer_threshold(double false_alarm, double n, double skewness, double excess_kurtosis);

}  // namespace hearsay::tests
