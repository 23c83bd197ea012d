// Symmetric matrices that a fast transform diagonalises: the questions about one attribute, on the places of a circle
// or on the bit patterns of its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "common/channel/questions.h"

namespace hearsay::compiler {

// The positive semidefinite matrix of size() places whose entry [x, y], for two values, is
//   M[x, y] = Σ_q Pr[q]·(K·[q(x) = q(y)] - 1).
// Values come first; places beyond them stand for no value.
// - A circle of N places: the matrix depends on x - y alone, and has one eigenvalue for each frequency from 0 to N - 1.
// - Parities and levels, on 2^b patterns of b bits: the eigenvectors are the Haar functions, which are +1 on one half
// of
//   a block of 2^(l+1) patterns and -1 on the other, and the eigenvalue depends on the level l alone.
// - A hash, on its values: the same for all pairs of values. One eigenvalue for the constant, and one for the rest.
// An eigenvalue that is 0 is computed as exactly 0.
class Spectrum {
 public:
  Spectrum(const Questions& questions, Work& work);  // throws WorkStopped

  std::size_t size() const { return size_; }
  // Of a product.
  std::uint64_t steps() const { return steps_; }
  // The product with the matrix, in place; `v` has size() elements.
  void multiply(std::span<double> v) const { transform(v, eigenvalues_); }
  // The product with the pseudo-inverse.
  void divide(std::span<double> v) const { transform(v, inverses_); }

 private:
  void transform(std::span<double> v, std::span<const double> factors) const;

  bool is_circle_;
  bool is_hash_;
  std::size_t size_;
  std::uint64_t steps_;
  std::vector<double> eigenvalues_;  // by frequency, by level, or of the constant and the rest
  std::vector<double> inverses_;     // 0 of 0
};

}  // namespace hearsay::compiler
