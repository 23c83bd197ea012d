#include "examples/comparison/reference/mean_mechanisms.h"

#include <cmath>

namespace hearsay::examples {

OneBitMean::OneBitMean(double epsilon) : c_((std::exp(epsilon) + 1) / (std::exp(epsilon) - 1)) {}

double OneBitMean::randomize(double x, std::mt19937_64& random) const {
  return std::bernoulli_distribution((1 + x / c_) / 2)(random) ? c_ : -c_;
}

PiecewiseMean::PiecewiseMean(double epsilon) : s_(std::exp(epsilon / 2)) {}

double PiecewiseMean::randomize(double x, std::mt19937_64& random) const {
  const double most = (s_ + 1) / (s_ - 1);
  const double start = ((most + 1) * x - (most - 1)) / 2;
  if (std::bernoulli_distribution(s_ / (s_ + 1))(random)) {
    return std::uniform_real_distribution<double>(start, start + most - 1)(random);
  }
  // The part of [-C, C] outside the interval has the length C+1.
  const double outside = std::uniform_real_distribution<double>(-most, 1)(random);
  return outside < start ? outside : outside + most - 1;
}

}  // namespace hearsay::examples
