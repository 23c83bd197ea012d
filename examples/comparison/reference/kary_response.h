// k-ary randomized response: the report is a cell of the domain.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// The report is the person's own cell with probability p and each other cell with probability q, with p/q = e^ε. The
// estimate of a cell that x of n reports name is (x/n - q)/(p - q). The estimates of all cells add up to 1.
//
// For made-up people only: the randomness is not cryptographic.
struct KaryResponse {
  double p;
  double q;

  // Sets p = e^ε/(e^ε+k-1) and q = 1/(e^ε+k-1), as in Kairouz, Bonawitz and Ramage, "Discrete distribution estimation
  // under local privacy" (ICML 2016), 3.1. Wang et al. (USENIX Security 2017), 4.1, call this direct encoding. `cells`
  // is k >= 2.
  static KaryResponse create(std::size_t cells, double epsilon);

  // Lets a population report, and returns the number of reports of each cell. `histogram` counts the people by cell.
  std::vector<std::uint64_t> counts(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;
  std::vector<double> estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const;

  // Returns for each cell x the variance of weight[Y]/(p-q), the contribution of one report Y by a person in x to Σ_c
  // weight[c]·estimate[c], covariances between cells included:
  //   (E[weight[Y]² | x] - E[weight[Y] | x]²) / (p-q)²,  E[weight[Y]^i | x] = (p-q)·weight[x]^i + q·Σ_c weight[c]^i.
  // For one cell of n_c people the sum over all reports is Wang et al.'s (4). As n_c/n → 0, this becomes their
  // (k-2+e^ε)/((e^ε-1)²·n).
  std::vector<double> report_variances(std::span<const double> weights) const;
};

}  // namespace hearsay::examples
