// Multiplies by the matrix of the questions about one attribute. In a suitable basis the matrix is diagonal, so a
// product costs two fast transforms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "common/channel/questions.h"

namespace hearsay::compiler {

// The positive semidefinite matrix M, with a row and a column for each of size() places. For two places x and y its
// entry is
//     M[x, y] = Σ_q Pr[q]·(K·[q(x) = q(y)] - 1).
// Here q runs through the questions, and K is the number of answers to a question. The first places are the attribute's
// values. The other places stand for no value.
// - A circle of N places: M[x, y] depends on x - y alone, so there is one eigenvalue for each frequency below N.
// - Parities and levels, on 2^b patterns of b bits: the eigenvectors are the Haar functions. A Haar function of level l
//   is +1 on one half of a block of 2^(l+1) patterns and -1 on the other half. The eigenvalue depends on l alone.
// - A hash: M[x, y] is the same for all pairs x ≠ y, so there is one eigenvalue for the constants and one for the
//   functions with the mean 0.
// If an eigenvalue is 0, the computed number is exactly 0.
class Spectrum {
 public:
  Spectrum(const Questions& questions, Work& work);  // throws WorkStopped

  std::size_t size() const { return size_; }
  // Returns the cost of one multiply() or divide(), in steps of Work.
  std::uint64_t steps() const { return steps_; }
  // Multiplies by the matrix, in place; `v` has size() elements.
  void multiply(std::span<double> v) const { transform(v, eigenvalues_); }
  // Multiplies by the pseudo-inverse of the matrix, in place; `v` has size() elements.
  void divide(std::span<double> v) const { transform(v, inverses_); }

 private:
  void transform(std::span<double> v, std::span<const double> factors) const;

  bool is_circle_;
  bool is_hash_;
  std::size_t size_;
  std::uint64_t steps_;
  std::vector<double> eigenvalues_;  // one for each frequency or level; for hashes: constants, other functions
  // The inverse of each eigenvalue; 0 where the eigenvalue is 0.
  std::vector<double> inverses_;
};

}  // namespace hearsay::compiler
