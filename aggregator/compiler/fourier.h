// Computes discrete Fourier transforms of any length.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace hearsay::compiler {

using Complexes = std::vector<std::complex<double>>;

// Returns the cost of a transform of length `size`, at least 1, in steps of Work.
std::uint64_t fourier_steps(std::uint64_t size);

// The transform of sequences v of one length n: F(k) = Σ_x v[x]·e^(-2πi·k·x/n).
//
// Immutable. The caller passes Eigen's plans to forward(). Only one thread at a time may use these plans.
class FourierTransform {
 public:
  explicit FourierTransform(std::size_t size);  // at least 1

  std::size_t size() const { return size_; }
  // Returns true if the length has a large prime factor. Then each call of forward() takes two transforms whose length
  // is a power of two, and the constructor takes one.
  bool by_chirps() const { return !kernel_.empty(); }
  // Writes the transform of `values` to `frequencies`, another vector. Both have size() elements.
  void forward(const Complexes& values, Complexes& frequencies, Eigen::FFT<double>& plans) const;

 private:
  std::size_t size_;
  Complexes chirps_;
  Complexes kernel_;  // the transform of the conjugate chirps (fourier.cc); empty unless by_chirps()
};

}  // namespace hearsay::compiler
