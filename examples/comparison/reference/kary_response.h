// k-ary randomized response: the report is a cell of the domain.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// The report is the person's own cell with probability p and each other cell with probability q; p/q = e^ε. A cell's
// estimate is (reports/n - q)/(p - q); they add up to 1 by themselves.
//
// For made-up people only: the randomness is not cryptographic.
struct KaryResponse {
  double p;
  double q;

  // p = e^ε/(e^ε+k-1), q = 1/(e^ε+k-1): Kairouz, Bonawitz and Ramage, "Discrete distribution estimation under local
  // privacy" (ICML 2016), 3.1; direct encoding in Wang et al. (USENIX Security 2017), 4.1. `cells` is k >= 2.
  static KaryResponse create(std::size_t cells, double epsilon);

  // Lets a population report, and returns the number of reports of each cell. `histogram` counts the people by cell.
  std::vector<std::uint64_t> counts(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;
  std::vector<double> estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const;

  // Per cell x: the variance of weight[Y]/(p-q), the contribution of one report Y by a person in x to Σ_c
  // weight[c]·estimate[c], covariances between cells included:
  //   (E[weight[Y]² | x] - E[weight[Y] | x]²) / (p-q)²,  E[weight[Y]^i | x] = (p-q)·weight[x]^i + q·Σ_c weight[c]^i.
  // For one cell of n_c people that adds up to Wang et al.'s (4); as n_c/n → 0 it becomes their
  // (k-2+e^ε)/((e^ε-1)²·n).
  std::vector<double> report_variances(std::span<const double> weights) const;
};

}  // namespace hearsay::examples
