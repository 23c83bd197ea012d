// Hadamard randomized response to a signed unit vector: at which node a person is, and on which side of it.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// HRR of Cormode, Kulkarni and Srivastava, "Answering range queries under local differential privacy" (PVLDB 2019),
// for the vectors of their Haar transform. A person is at one of K nodes (a power of two), to its left (+1) or to its
// right (-1). The report has two parts. One is a column j of the K×K Hadamard matrix H, drawn uniformly. The other is
// the person's side times H[node][j], told by binary randomized response (the truth with probability e^ε/(e^ε+1)). A
// node's estimate is the mean over the reports of sign·H[node][j]·c, c = (e^ε+1)/(e^ε-1): the fraction to its left less
// that to its right.
//
// As a frequency oracle it has 2K cells: for each node the left side, then the right. It knows only the difference of a
// node's two cells. Their estimates are half of the difference, and minus half of the difference.
//
// For made-up people only: the randomness is not cryptographic.
class SignedHadamard {
 public:
  explicit SignedHadamard(double epsilon);

  // Lets a population report, and returns the number of reports of each column, +1 before -1. `histogram` counts the
  // people by cell.
  std::vector<std::uint64_t> counts(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;
  std::vector<double> estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const;

  // Per cell x: the variance of the contribution of one report by a person in x to Σ_c weight[c]·estimate[c]. The two
  // weights of a node must be opposite. The mean of the contribution is weight[x]. The mean of its square is c²·Σ
  // weight[left]² over the nodes, for every person, since the rows of H are orthogonal.
  std::vector<double> report_variances(std::span<const double> weights) const;

 private:
  double c_;
};

}  // namespace hearsay::examples
