// The sparse databases that agree with the answers so far.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::central {

// A linear query's weights in multiples of 1/unit, one for each element of the domain.
using Weights = std::span<const std::uint32_t>;

// The candidates: at first all multisets of m elements of the domain. Public, since they follow from answers already
// given.
class Candidates {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 20U;
  // Candidates times elements.
  static constexpr std::uint64_t kMostCounts = std::uint64_t{1} << 24U;

  // Errors: kInvalidArgument for an empty domain or m = 0; kDomainTooLarge above kMost candidates.
  static Result<Candidates> create(std::size_t domain, std::uint32_t size);

  std::uint64_t count() const { return counts_.size() / domain_; }

  // Returns the lower median of unit·q(S) over the candidates S: at least half are no larger, and at least half no
  // smaller. Cost: candidates times elements.
  std::int64_t median(Weights weights) const;

  // Drops the candidates with unit·q(S) outside [low, high], unless this would drop all. Then the hard answer was off
  // by more than its noise almost ever is, nothing shows which candidates to trust, and all stay.
  void keep_within(Weights weights, std::int64_t low, std::int64_t high);

 private:
  Candidates(std::size_t domain, std::vector<std::uint32_t> counts) : domain_(domain), counts_(std::move(counts)) {}
  std::int64_t value(std::size_t candidate, Weights weights) const;
  std::size_t domain_;
  std::vector<std::uint32_t> counts_;  // candidate after candidate
};

}  // namespace hearsay::central
