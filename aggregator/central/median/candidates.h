// The sparse databases that agree with the hard answers so far.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::central {

// A linear query q: for each element of the domain its weight, as a whole number from 0 to unit. The number w stands
// for w/unit.
using Weights = std::span<const std::uint32_t>;

// Holds the candidates S: at first all multisets of m elements of the domain. The candidates are public, since they
// follow from answers already given.
class Candidates {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 20U;
  // The largest allowed product of the number of candidates and the number of elements.
  static constexpr std::uint64_t kMostCounts = std::uint64_t{1} << 24U;

  // Errors: kInvalidArgument for an empty domain or m = 0; kDomainTooLarge above kMost candidates or kMostCounts
  // counts.
  static Result<Candidates> create(std::size_t domain, std::uint32_t size);

  std::uint64_t count() const { return counts_.size() / domain_; }

  // Returns the lower median of unit·q(S) over the candidates S: at least half of these values are at most the median,
  // and at least half are at least the median. Cost: candidates times elements.
  std::int64_t median(Weights weights) const;

  // Drops the candidates with unit·q(S) outside [low, high]. If this would drop all candidates, keeps all of them. In
  // this case some noise of the session was larger than its bound.
  void keep_within(Weights weights, std::int64_t low, std::int64_t high);

 private:
  Candidates(std::size_t domain, std::vector<std::uint32_t> counts) : domain_(domain), counts_(std::move(counts)) {}
  std::int64_t value(std::size_t candidate, Weights weights) const;
  std::size_t domain_;
  std::vector<std::uint32_t> counts_;  // the counts of all candidates, one candidate after the other
};

}  // namespace hearsay::central
