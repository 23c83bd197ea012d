// How much the answers of `sampled` on `characters` cost about sets of attributes, whatever the query is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/channel/sampled.h"

namespace hearsay::planner {

// Let a function of a record be Σ_T f_T, f_T on the set T of attributes with E[score product] = f_T. A report of class
// c contributes γ_c·Σ_T φ_T/I_T over the sets T that its answer covers, φ_T the product of the scores of its answers.
// So the variance of n reports, times n, when as many of them are of each class and ask about each set of attributes as
// are expected to, is
//   Σ_T noise(T)·E_T + Σ_{T,U} signal(T, U)·E[φ_T·φ_U | truth] - Σ_{T,U} mean(T, U)·(E f_T)·(E f_U),
// where E_T = E[φ_T²] for uniform answers, in which different φ_T are uncorrelated.
class SetPrices {
 public:
  // Attributes ascending, at most 16. A set of them has a bit for each. Cost: classes × 2^attributes.
  SetPrices(const SampledChannel& channel, std::span<const std::uint32_t> attributes);

  std::uint32_t sets() const { return static_cast<std::uint32_t>(information_.size()); }
  double information(std::uint32_t set) const {
    return information_[set];
  }  // I_T; 0 if never asked, and of no attribute
  double noise(std::uint32_t set) const { return noise_[set]; }
  double signal(std::uint32_t set, std::uint32_t other) const;
  double mean(std::uint32_t set, std::uint32_t other) const;

  // The largest γ_c·Σ_T sizes[T]/I_T over what one report covers.
  double largest(std::span<const double> sizes) const;

 private:
  struct Class {
    bool is_single;
    double gamma;
    std::vector<double> chances;  // per set: that a report is of the class and asks about all of the set
    std::vector<bool> covers;     // per set: the class covers it where its reports ask about all of it
  };
  // Σ over the classes that cover both of chance·γ^power, over the information about either.
  double sum(std::uint32_t set, std::uint32_t other, bool singles, int power) const;

  std::vector<Class> classes_;
  std::vector<double> information_;
  std::vector<double> noise_;
};

}  // namespace hearsay::planner
