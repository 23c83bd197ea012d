#include "aggregator/compiler/fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace hearsay::compiler {
namespace {

// Returns the steps of a transform that makes one pass for every prime factor of n.
std::uint64_t steps_by_factors(std::uint64_t n) {
  std::uint64_t passes = 1;
  std::uint64_t rest = n;
  for (std::uint64_t factor = 2; factor * factor <= rest; ++factor) {
    for (; rest % factor == 0; rest /= factor) passes += factor;
  }
  return n * (rest > 1 ? passes + rest : passes);
}

// Returns the steps of Bluestein's algorithm: the steps of three transforms whose length is a power of two.
std::uint64_t steps_by_chirps(std::uint64_t n) { return 3 * steps_by_factors(std::bit_ceil(2 * n)); }

}  // namespace

std::uint64_t fourier_steps(std::uint64_t size) { return std::min(steps_by_factors(size), steps_by_chirps(size)); }

// Bluestein's algorithm, for a size n with a large prime factor. Let x_k be the n values and z = e^(-2πi/n), so the
// transform at frequency l is Σ_k x_k·z^(k·l). As k·l = (k² + l² - (l - k)²)/2, the transform is a convolution with the
// conjugates of the chirps z^(k²/2), between two multiplications by the chirps.
FourierTransform::FourierTransform(std::size_t size) : size_(size) {
  if (steps_by_factors(size) <= steps_by_chirps(size)) return;
  const std::size_t padded = std::bit_ceil(2 * size);
  Complexes conjugates(padded);
  for (std::size_t k = 0; k < size; ++k) {
    const auto turn = static_cast<double>(std::uint64_t{k} * k % (2 * size));
    chirps_.push_back(std::polar(1.0, -std::numbers::pi * turn / static_cast<double>(size)));
    conjugates[k] = conjugates[(padded - k) % padded] = std::conj(chirps_[k]);
  }
  Eigen::FFT<double>().fwd(kernel_, conjugates);
}

void FourierTransform::forward(const Complexes& values, Complexes& frequencies, Eigen::FFT<double>& plans) const {
  if (!by_chirps()) {
    plans.fwd(frequencies, values);
    return;
  }
  Complexes signal(kernel_.size());
  Complexes of_signal;
  for (std::size_t k = 0; k < size_; ++k) signal[k] = values[k] * chirps_[k];
  plans.fwd(of_signal, signal);
  for (std::size_t f = 0; f < of_signal.size(); ++f) of_signal[f] *= kernel_[f];
  plans.inv(signal, of_signal);
  for (std::size_t k = 0; k < size_; ++k) frequencies[k] = chirps_[k] * signal[k];
}

}  // namespace hearsay::compiler
