// Sampled low-order Fourier coefficients: each person answers one random parity of bits of few attributes.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <unordered_map>
#include <vector>

#include "aggregator/tally/tally.h"
#include "hearsay/query.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::examples {

// InpHT, the input perturbation of the Hadamard transform in Cormode, Kulkarni and Srivastava, "Marginal release under
// local differential privacy" (SIGMOD 2018). Every attribute is written in binary, with ⌈log2 size⌉ bits. T is the set
// of parities of bits of at most w attributes, without the constant. A person draws a parity of T uniformly, and
// reports its value ±1 by binary randomized response (the truth with probability e^ε/(e^ε+1)). The estimate of a
// coefficient is the mean of its answers, divided by γ = (e^ε-1)/(e^ε+1). A query's answer is a weighted sum of
// coefficients. Bit patterns that stand for no value count as not satisfying the query.
//
// For made-up people only: the randomness is not cryptographic.
class SampledFourier {
 public:
  static constexpr std::size_t kMaxParities = std::size_t{1} << 20U;

  // Errors: kInvalidArgument (order not between 1 and the number of attributes), kDomainTooLarge (more than 64 bits or
  // kMaxParities parities).
  static Result<SampledFourier> create(const Schema& schema, std::uint32_t order, double epsilon);
  // Returns the same estimator, but with reports made at another ε.
  SampledFourier with_client_epsilon(double epsilon) const;

  std::size_t parities() const { return masks_.size(); }
  double gamma() const { return gamma_; }

  // A query as constant + Σ value·coefficient[parity].
  struct Expansion {
    struct Term {
      std::size_t parity;
      double value;
    };
    double constant = 0;
    std::vector<Term> terms;
  };
  // Errors: kQueryNotCovered (touches more attributes than the order), kQueryTooLarge (more than 2^20 bit patterns).
  Result<Expansion> expand(const Query& query) const;

  // The reports: for each parity, the number of people who answered the parity, and the sum of their answers ±1.
  struct Tally {
    std::vector<std::uint64_t> reports;
    std::vector<std::int64_t> sum;
  };
  Tally collect(std::span<const Record> people, std::mt19937_64& random) const;
  // A parity that nobody answered counts as 0.
  double estimate(const Expansion& query, const Tally& tally) const;

  // Returns the exact variance for a population of n people, `people`, given that somebody answered each parity of the
  // query. Let m be the true coefficients, s_ij = m_{i⊕j} - m_i·m_j, and N >= 1 binomial with n draws of probability
  // 1/|T|. The people who answer parity i are a sample without replacement, so the estimate of m_i has the variance
  //   (1/γ²-1)·E[1/N] + (1-m_i²)·(E[1/N] - 1/n)·n/(n-1).
  // Different people answer two parities i and j, so their estimates have the covariance -s_ij/(n-1). The paper states
  // the leading term for one coefficient, |T|/(γ²n).
  double variance(const Expansion& query, std::span<const Record> people) const;
  // Returns the mean of variance() over `users` people drawn from a population. A share parts[i] of the population has
  // the record records[i].
  double expected_variance(const Expansion& query, std::span<const Record> records, std::span<const double> parts,
                           std::size_t users) const;

 private:
  SampledFourier() = default;
  // Computes variance() with n = users and with `correction` in place of n/(n-1).
  double variance(const Expansion& query, std::span<const Record> records, std::span<const double> parts,
                  std::size_t users, double correction) const;
  std::uint64_t pack(const Record& record) const;
  double mean(std::uint64_t mask, std::span<const std::uint64_t> packed, std::span<const double> parts) const;

  std::vector<std::uint32_t> sizes_;   // the attributes' numbers of values
  std::vector<std::uint32_t> offset_;  // first bit of each attribute in a packed record; then the number of all bits
  std::vector<std::uint64_t> masks_;
  std::unordered_map<std::uint64_t, std::size_t> parity_of_;
  std::uint32_t order_ = 0;
  double gamma_ = 0;
  double client_gamma_ = 0;
};

}  // namespace hearsay::examples
