// Unary encodings: a report has one random bit for each cell of the domain, and the bits are independent.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// The bit of the person's own cell is 1 with probability p; every other bit is 1 with probability q. Two records differ
// in two cells, so ε = ln(p(1-q)/(q(1-p))). If x of n reports have a 1 for a cell, the cell's estimate is (x/n -
// q)/(p - q).
//
// For made-up people only: the randomness is not cryptographic.
struct UnaryEncoding {
  double p;
  double q;

  // Sets p = e^{ε/2}/(e^{ε/2}+1) and q = 1-p. This is RAPPOR's basic one-time variant with f = 2q (Erlingsson, Pihur
  // and Korolova, "RAPPOR", CCS 2014, section 4). The variant is called SUE in Wang, Blocki, Li and Jha, "Locally
  // differentially private protocols for frequency estimation" (USENIX Security 2017), 4.3.
  static UnaryEncoding symmetric(double epsilon);
  // Sets p = 1/2 and q = 1/(e^ε+1): this is OUE, from the same section.
  static UnaryEncoding optimised(double epsilon);

  // Returns one person's report.
  std::vector<std::uint8_t> randomize(std::size_t cell, std::size_t cells, std::mt19937_64& random) const;
  // Lets a whole population report, and returns the number of ones in each cell. `histogram` counts the people by cell.
  //
  // The result has the same distribution as the sum of randomize() over the people, but costs only two binomials for
  // each cell. Given the records, all bits of all reports are independent. So the sums of different cells are
  // independent, and the sum of cell c is a sum of histogram[c] coins of probability p and n - histogram[c] coins of
  // probability q.
  std::vector<std::uint64_t> counts(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;
  std::vector<double> estimate(std::span<const std::uint64_t> ones, std::uint64_t users) const;

  // One report by a person in cell x contributes a random number to Σ_c weight[c]·estimate[c]. Returns the variance of
  // this number for each cell x. The bits are independent, so there is no covariance:
  //   (Σ_c weight[c]²·q(1-q) + weight[x]²·(p(1-p) - q(1-q))) / (p-q)².
  // For one cell of n_c people, the sum over all reports is Wang et al.'s (4), for frequencies in place of counts. As
  // n_c/n → 0, this becomes their approximations: e^{ε/2}/((e^{ε/2}-1)²·n) for SUE and 4e^ε/((e^ε-1)²·n) for OUE.
  std::vector<double> report_variances(std::span<const double> weights) const;
};

}  // namespace hearsay::examples
