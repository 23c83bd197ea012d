// A small complete randomizer: law, sampler, check and estimator. The guide "Add a randomizer" explains these parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"
#include "hearsay/result.h"

namespace hearsay::examples {

// Subset selection (Ye and Barg 2018): a person has one of K values, and a report is a set of w of them. With
// probability γ the set is drawn from the sets that hold the person's value, otherwise from all sets of w values.
//
// Privacy: for any two values and any report, the probabilities differ by at most the factor e^ε.
// Thread-safety: immutable.
class SubsetChannel {
 public:
  static constexpr std::uint32_t kMaxValues = 32;

  // `values` is K, from 2 to kMaxValues. `size` is w, at least 1 and below K; w must divide K.
  // Errors: kInvalidArgument.
  static Result<SubsetChannel> create(std::uint32_t values, std::uint32_t size, const Epsilon& epsilon);

  // A set of values: bit v is 1 if value v belongs to the set.
  using Subset = std::uint32_t;

  // The law, that is the probability of each report: weight_with()/Σ for a set that holds the person's value, and
  // weight_without()/Σ for any other set. Σ is the sum of the weights of all sets.
  std::uint64_t weight_with() const { return gamma_ * (values_ / size_) + weight_without(); }
  std::uint64_t weight_without() const { return (std::uint64_t{1} << 32U) - gamma_; }
  std::uint64_t gamma() const { return gamma_; }  // γ·2^32

  // The sampler, in two steps. draw() draws all random bits, and does not know the value. subset() takes the same time
  // for every value. `value` is below K.
  struct Draw {
    bool truth;
    Subset around_zero;  // uniform among the sets that hold value 0
    Subset any;          // uniform among all sets
  };
  Draw draw(BitSource& bits) const;  // throws EntropyError
  Subset subset(const Draw& draw, std::uint32_t value) const;

  // Returns true if an honest device can send `subset`. An aggregator must refuse other reports.
  bool is_report(Subset subset) const;

  // Returns an unbiased estimate of the fraction of people with each value. `counts`: how many reports hold each value.
  std::vector<double> estimate(std::span<const std::uint64_t> counts, std::uint64_t reports) const;

 private:
  SubsetChannel(std::uint32_t values, std::uint32_t size, std::uint64_t gamma)
      : values_(values), size_(size), gamma_(gamma) {}
  std::uint32_t values_;
  std::uint32_t size_;
  std::uint64_t gamma_;
};

}  // namespace hearsay::examples
