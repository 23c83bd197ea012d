// Hadamard response: the report is a column of a Hadamard matrix, more likely where the person's row has a +1.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// Acharya, Sun and Zhang, "Hadamard response: estimating distributions privately, efficiently, and with little
// communication" (AISTATS 2019). The K = B·b outputs are B blocks of b columns; cell x has a block and a row r_x >= 1
// of the b×b Hadamard matrix H, and C(x) are the s = b/2 columns of its block where that row is +1. Every output in
// C(x) has probability e^ε/D, every other 1/D, D = s·e^ε + K - s.
//
// A cell's estimate is α times the mean over the reports of ±1 by H[r_x][y] for y in the block of x and 0 otherwise,
// with α = D/(s(e^ε-1)): another row of the same block is orthogonal to C(x) and the rows add up to 0 over a block.
//
// For made-up people only: the randomness is no cryptographic one.
class HadamardResponse {
 public:
  // The paper takes B = 2^{⌈log2 min(e^ε, 2k)⌉-1} and b = 2^{⌈log2(k/B+1)⌉}. At ε = 1 that
  // is B = 2, where B = 1, the paper's scheme for high privacy, is better by a sixth. We take the power of two up to
  // its B of least variance on average over the cells, (2B+e^ε-1)²/(B(e^ε-1)²·n) for large k.
  static HadamardResponse create(std::size_t cells, double epsilon);
  // The same estimator with reports that tell the truth with another ε: what a wrong client would do to it.
  HadamardResponse with_client_epsilon(double epsilon) const;

  std::size_t blocks() const { return blocks_; }          // B
  std::size_t block_size() const { return block_size_; }  // b
  std::size_t outputs() const { return blocks_ * block_size_; }
  // Pr[y | cell].
  double probability(std::size_t cell, std::size_t y) const;

  // Reports of each output from a population; `histogram` counts its people by cell.
  std::vector<std::uint64_t> counts(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;
  std::vector<double> estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const;

  // Per cell x: the variance of what one report y of a person in x contributes to Σ_c weight[c]·estimate[c],
  // covariances included. It is w(y) = α·Σ_{c in the block of y} weight[c]·H[r_c][y], of mean weight[x], so
  //   E[w(Y)² | x] - weight[x]²,  E[w(Y)² | x] = (Σ_y w(y)² + (e^ε-1)·Σ_{y in C(x)} w(y)²)/D.
  // One cell of n_c people, B = 1: (c² - n_c/n)/n, c = (e^ε+1)/(e^ε-1). The paper states bounds on the sum over all
  // cells; this is the exact form for its probabilities.
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
