// Computes the output probabilities of the mechanisms in aggregator/central/exponential, in floating point.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "aggregator/central/exponential/exponential_mechanism.h"
#include "aggregator/central/exponential/permute_and_flip.h"

namespace hearsay::tests {

using LogLaw = std::vector<long double>;

// Returns rate·gap for every candidate, within 3 units in the last place. The gap is the distance from the best score.
inline LogLaw exponents(const central::GapDecay& decay, std::span<const std::int64_t> scores) {
  const std::vector<std::uint64_t> gaps = central::score_gaps(scores).value();
  LogLaw all;
  for (const std::uint64_t gap : gaps) {
    all.push_back(static_cast<long double>(gap) * static_cast<long double>(decay.rate().num()) /
                  static_cast<long double>(decay.rate().den()));
  }
  return all;
}

// Returns the natural logarithms of all output probabilities: -rate·gap - ln Σ exp(-rate·gap). The error of each
// logarithm is below (rate·gap + 4)·2^-60.
inline LogLaw log_law(const central::ExponentialMechanism& mechanism, std::span<const std::int64_t> scores) {
  LogLaw logs = exponents(mechanism.decay(), scores);
  long double total = 0;
  long double lost = 0;  // the rounding error so far, which the next term compensates
  for (long double& value : logs) {
    value = -value;
    const long double term = std::exp(value) - lost;
    const long double sum = total + term;
    lost = (sum - total) - term;
    total = sum;
  }
  for (long double& value : logs) value -= std::log(total);
  return logs;
}

// Returns Σ_{k=0}^{N-1} (the mean product over all k-subsets of `fails` without the element at `skipped`). `fails` has
// N elements. Recursion: of n elements, a k-subset contains the last element with probability k/n.
inline long double mean_subset_products(std::span<const long double> fails, std::size_t skipped) {
  std::vector<long double> mean{1};
  for (std::size_t i = 0; i < fails.size(); ++i) {
    if (i == skipped) continue;
    const auto n = static_cast<long double>(mean.size());
    mean.push_back(mean.back() * fails[i]);
    for (std::size_t k = mean.size() - 2; k > 0; --k) {
      const long double with = static_cast<long double>(k) / n;
      mean[k] = (1 - with) * mean[k] + with * fails[i] * mean[k - 1];
    }
  }
  return std::accumulate(mean.begin(), mean.end(), 0.0L);
}

// Returns the natural logarithms of the output probabilities of permute-and-flip with N candidates. Candidate c comes
// at a uniform place, and wins if the candidates before c are rejected. With w = exp(-rate·gap), Pr[c] =
// (w_c/N)·Σ_{k<N} (mean over k-subsets S of the other candidates of Π_{i in S} (1 - w_i)). The relative error is below
// N²·2^-60, since all terms are positive. Cost: N² for each distinct score.
inline LogLaw log_law(const central::PermuteAndFlip& mechanism, std::span<const std::int64_t> scores) {
  const LogLaw falls = exponents(mechanism.decay(), scores);
  std::vector<long double> fails;
  for (const long double exponent : falls) fails.push_back(-std::expm1(-exponent));
  std::map<long double, long double> known;
  LogLaw logs;
  for (std::size_t c = 0; c < falls.size(); ++c) {
    const auto [entry, is_new] = known.try_emplace(falls[c], 0);
    if (is_new) {
      const long double chance = mean_subset_products(fails, c) / static_cast<long double>(falls.size());
      entry->second = std::log(chance) - falls[c];
    }
    logs.push_back(entry->second);
  }
  return logs;
}

}  // namespace hearsay::tests
