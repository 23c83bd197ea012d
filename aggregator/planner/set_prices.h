// Computes the factors with which sets of attributes enter the variance of `sampled` on `characters`. The factors do
// not depend on the query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/channel/sampled.h"

namespace hearsay::planner {

// Let a function of a record be Σ_T f_T, where f_T is about the set T of attributes. φ_T is the product of the scores
// of the answers about T, with E[φ_T] = f_T. A report of class c has a true answer with probability γ_c. The report
// contributes γ_c·Σ_T φ_T/I_T over the sets T that its answer covers, where I_T is the information about T. Suppose
// that the n reports have the expected numbers for each class and each set of attributes. Then n times the variance is
//   Σ_T noise(T)·E_T + Σ_{T,U} signal(T, U)·E[φ_T·φ_U | truth] - Σ_{T,U} mean(T, U)·(E f_T)·(E f_U),
// where E_T = E[φ_T²] for uniform answers, under which different φ_T are uncorrelated.
class SetPrices {
 public:
  // There are at most 16 `attributes`, in ascending order. A set is a mask with one bit for each attribute. The cost
  // grows with the number of classes times 2^attributes.
  SetPrices(const SampledChannel& channel, std::span<const std::uint32_t> attributes);

  std::uint32_t sets() const { return static_cast<std::uint32_t>(information_.size()); }
  // Returns I_T. I_T is 0 if the task never asks about T, and for the empty set.
  double information(std::uint32_t set) const { return information_[set]; }
  double noise(std::uint32_t set) const { return noise_[set]; }
  double signal(std::uint32_t set, std::uint32_t other) const;
  double mean(std::uint32_t set, std::uint32_t other) const;

  // Returns the largest γ_c·Σ_T sizes[T]/I_T over the classes c. The sum is over the sets T that one report covers.
  double largest(std::span<const double> sizes) const;

 private:
  struct Class {
    bool is_single;
    double gamma;
    // chances[set] is the probability that a report is of this class and asks about all of the set.
    std::vector<double> chances;
    // covers[set] is true if an answer of this class covers the set whenever the report asks about all of the set.
    std::vector<bool> covers;
  };
  // Returns Σ chance·γ^power over the classes that cover both sets, divided by the product of the information about the
  // two sets. Classes of single groups count only if `singles` is true and the two sets are the same.
  double sum(std::uint32_t set, std::uint32_t other, bool singles, int power) const;

  std::vector<Class> classes_;
  std::vector<double> information_;
  std::vector<double> noise_;
};

}  // namespace hearsay::planner
