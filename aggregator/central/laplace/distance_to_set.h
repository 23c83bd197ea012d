// Releases how far a database is from having a property.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

// Releases f_A(x) = min over y ∈ A of the number of records in which x and y differ, for a public set A ⊆ D^n. If A
// holds the databases with a property, f_A(x) is how many records would have to change for x to have the property. The
// sensitivity is at most 1 for every A, so noise of scale 1/ε makes the release purely ε-differentially private under
// replace-one. create() lists A by enumerating D^n. Immutable, thread-safe. Dwork, McSherry, Nissim, Smith 2006,
// section 3.2.
class DistanceToSet {
 public:
  static constexpr std::uint64_t kMostDatabases = std::uint64_t{1} << 20U;

  // D = {0, ..., domain-1}, n = `records`. Calls `has_property` once for each of the domain^records databases, in
  // lexicographic order. Errors: kInvalidArgument (an empty D or n, no function, or no database with the property),
  // kDomainTooLarge (more than 2^20 databases or records), kUnsupported (kAddRemove: databases of other sizes have no
  // distance).
  static Result<DistanceToSet> create(const Epsilon& epsilon, std::uint32_t domain, std::size_t records,
                                      const std::function<bool(std::span<const std::uint32_t>)>& has_property,
                                      Neighbours neighbours);

  // Returns f_A. A record outside D differs from all values in D; the sensitivity stays 1. Errors: kInvalidArgument
  // (not n records; n is public). Cost: n·|A|.
  Result<std::int64_t> statistic(std::span<const std::uint32_t> rows) const;

  // Releases f_A with noise. Errors: those of statistic. Throws EntropyError.
  Result<std::int64_t> release(std::span<const std::uint32_t> rows, BitSource& bits) const;

  // Returns the least m with Pr[the release is off by more than m] <= beta, in records: at most ⌈ln(2/beta)/ε⌉. Errors:
  // kInvalidArgument unless 0 < beta < 1.
  Result<std::uint64_t> error_bound(double beta) const { return laplace_.error_bound(1, beta); }

  const LaplaceMechanism& laplace() const { return laplace_; }

 private:
  DistanceToSet(const LaplaceMechanism& laplace, std::size_t records, std::vector<std::uint32_t> members)
      : laplace_(laplace), records_(records), members_(std::move(members)) {}

  LaplaceMechanism laplace_;
  std::size_t records_;
  std::vector<std::uint32_t> members_;  // the databases of A, one after the other
};

}  // namespace hearsay::central
