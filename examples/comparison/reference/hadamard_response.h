// Hadamard response: the report is a column of a Hadamard matrix. The columns in which the person's row has a +1 are
// more likely than others.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// Acharya, Sun and Zhang, "Hadamard response: estimating distributions privately, efficiently, and with little
// communication" (AISTATS 2019). The K = B·b outputs are B blocks of b columns. Cell x has a block, and a row r_x >= 1
// of the b×b Hadamard matrix H. C(x) is the set of the s = b/2 columns of this block where row r_x is +1. Every output
// in C(x) has probability e^ε/D, and every other output 1/D, with D = s·e^ε + K - s.
//
// A report y counts H[r_x][y] for cell x if y is in the block of x, and 0 otherwise. The estimate of cell x is α times
// the mean of these counts, with α = D/(s(e^ε-1)). The estimate is unbiased, because other rows of the block are
// orthogonal to row r_x, and every row adds up to 0 over a block.
//
// For made-up people only: the randomness is not cryptographic.
class HadamardResponse {
 public:
  // For k cells the paper takes B = 2^{⌈log2 min(e^ε, 2k)⌉-1} and b = 2^{⌈log2(k/B+1)⌉}. At ε = 1 this gives B = 2. But
  // B = 1, the paper's scheme for high privacy, has a variance smaller by about a sixth. So create() takes the power of
  // two, up to the paper's B, with the least variance on average over the cells: (2B+e^ε-1)²/(B(e^ε-1)²·n) for large k.
  static HadamardResponse create(std::size_t cells, double epsilon);
  // Returns the same estimator, but with reports made at another ε, as a wrong client would make them.
  HadamardResponse with_client_epsilon(double epsilon) const;

  std::size_t blocks() const { return blocks_; }          // B
  std::size_t block_size() const { return block_size_; }  // b
  std::size_t outputs() const { return blocks_ * block_size_; }
  // Returns Pr[y | cell].
  double probability(std::size_t cell, std::size_t y) const;

  // Lets a population report, and returns the number of reports of each output. `histogram` counts the people by cell.
  std::vector<std::uint64_t> counts(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;
  std::vector<double> estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const;

  // Returns for each cell x the variance of the contribution of one report y by a person in x to Σ_c
  // weight[c]·estimate[c], covariances included. The contribution is w(y) = α·Σ_{c in the block of y}
  // weight[c]·H[r_c][y], and its mean is weight[x]. So the variance is
  //   E[w(Y)² | x] - weight[x]²,  E[w(Y)² | x] = (Σ_y w(y)² + (e^ε-1)·Σ_{y in C(x)} w(y)²)/D.
  // For B = 1, the estimate of one cell with n_c people has the variance (c² - n_c/n)/n, with c = (e^ε+1)/(e^ε-1). The
  // paper states bounds on the sum over all cells; this is the exact form for the paper's probabilities.
  std::vector<double> report_variances(std::span<const double> weights) const;

 private:
  HadamardResponse() = default;
  std::size_t block_of(std::size_t cell) const { return cell / (block_size_ - 1); }
  std::size_t row_of(std::size_t cell) const { return cell % (block_size_ - 1) + 1; }
  std::size_t draw(std::size_t cell, std::mt19937_64& random) const;

  std::size_t blocks_ = 1;
  std::size_t block_size_ = 2;
  std::size_t cells_ = 0;
  double ratio_ = 1;         // e^ε, for the estimator
  double client_ratio_ = 1;  // e^ε, for the reports
};

}  // namespace hearsay::examples
