// Hadamard randomized response for trees: each person is at a node of a tree, on its left or its right side.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// HRR of Cormode, Kulkarni and Srivastava, "Answering range queries under local differential privacy" (PVLDB 2019), for
// the vectors of their Haar transform. A person is at one of K nodes (a power of two), on the node's left side (+1) or
// right side (-1). The report has two parts. One is a column j of the K×K Hadamard matrix H, drawn uniformly. The other
// is the person's side times H[node][j], told by binary randomized response (the truth with probability e^ε/(e^ε+1)). A
// node's estimate is the mean over the reports of sign·H[node][j]·c, with c = (e^ε+1)/(e^ε-1). The result is an
// estimate of the fraction of people on the node's left side minus the fraction on its right side.
//
// As a frequency oracle, the class has 2K cells: for each node the left side, then the right side. The reports tell
// only the difference of a node's two cells. The estimates of the two cells are half of the difference, and minus half
// of the difference.
//
// For made-up people only: the randomness is not cryptographic.
class SignedHadamard {
 public:
  explicit SignedHadamard(double epsilon);

  // Lets a population report, and returns for each column the number of reports with +1, then with -1. `histogram`
  // counts the people by cell.
  std::vector<std::uint64_t> counts(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;
  std::vector<double> estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const;

  // One report by a person in cell x contributes a random number to Σ_c weight[c]·estimate[c]. Returns the variance of
  // this number for each cell x. The two weights of a node must be opposite numbers. The number has the mean weight[x].
  // The square of the number has the mean c²·Σ weight[left]², summed over the nodes, for every person, since the rows
  // of H are orthogonal.
  std::vector<double> report_variances(std::span<const double> weights) const;

 private:
  double c_;
};

}  // namespace hearsay::examples
