// Two mechanisms for the mean of a bounded number: the one-bit mechanism and the piecewise mechanism.
#pragma once

#include <random>

namespace hearsay::examples {

// Both mechanisms turn a person's x in [-1, 1] into a random number with mean x. This number is ε-private. The estimate
// is the mean of these numbers over the reports.
//
// For made-up people only: the randomness is not cryptographic.

// Duchi, Jordan and Wainwright, "Minimax optimal procedures for locally private estimation" (JASA 2018), in one
// dimension. The report is c with probability (1 + x/c)/2 and -c otherwise, with c = (e^ε+1)/(e^ε-1).
class OneBitMean {
 public:
  explicit OneBitMean(double epsilon);
  double randomize(double x, std::mt19937_64& random) const;
  double variance(double x) const { return c_ * c_ - x * x; }

 private:
  double c_;
};

// Wang, Xiao, Yang, Zhao, Hui, Shin, Shin and Yu, "Collecting and analyzing multidimensional data with local
// differential privacy" (ICDE 2019), algorithm 2. With s = e^{ε/2} and C = (s+1)/(s-1) the report lies in [-C, C]. With
// probability s/(s+1) the report is uniform in the interval of length C-1 that starts at ((C+1)x - (C-1))/2. Otherwise
// the report is uniform in the rest of [-C, C].
class PiecewiseMean {
 public:
  explicit PiecewiseMean(double epsilon);
  double randomize(double x, std::mt19937_64& random) const;
  // Returns the variance of the report by Lemma 1 of the paper: x²/(s-1) + (s+3)/(3(s-1)²).
  double variance(double x) const { return x * x / (s_ - 1) + (s_ + 3) / (3 * (s_ - 1) * (s_ - 1)); }

 private:
  double s_;
};

}  // namespace hearsay::examples
