// Hadamard randomized response to a signed unit vector: where a person is, and on which side.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// HRR of Cormode, Kulkarni and Srivastava, "Answering range queries under local differential privacy" (PVLDB 2019),
// for the vectors of their Haar transform. A person is at one of K nodes (a power of two), to its left (+1) or to its
// right (-1). The report is a column j of the K×K Hadamard matrix H, drawn uniformly, and the person's side times
// H[node][j], told by binary randomized response (the truth with probability e^ε/(e^ε+1)). A node's estimate is the
// mean over the reports of sign·H[node][j]·c, c = (e^ε+1)/(e^ε-1): the fraction to its left less that to its right.
//
// As a frequency oracle it has 2K cells, a node's left side before its right, and knows a node's two cells only by
// their difference: their estimates are half of it and minus half of it.
//
// For made-up people only: the randomness is no cryptographic one.
class SignedHadamard {
 public:
  explicit SignedHadamard(double epsilon);

  // Reports of each column, +1 before -1, from a population; `histogram` counts its people by cell.
  std::vector<std::uint64_t> counts(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;
  std::vector<double> estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const;

  // Per cell x: the variance of what one report of a person in x contributes to Σ_c weight[c]·estimate[c], for weights
  // of which a node's two are opposite. Its square has the mean c²·Σ weight[left]² over the nodes, for every person,
  // since the rows of H are orthogonal; its mean is weight[x].
  std::vector<double> report_variances(std::span<const double> weights) const;

 private:
  double c_;
};

}  // namespace hearsay::examples
