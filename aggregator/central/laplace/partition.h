// One analysis for each of several disjoint regions of the domain, at the privacy cost of a single analysis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

// A region of the domain {0, ..., domain-1}, and the function to compute from the region's records.
struct Region {
  std::vector<std::uint32_t> members;
  // S(f_i): how much one record *added or removed* can change `statistic`.
  Rational sensitivity;
  // A pure function of the region's records, in the order of the database. If the function throws, its value counts as
  // 0. The sensitivity must hold with this 0.
  std::function<std::int64_t(std::span<const std::uint32_t>)> statistic;
};

// Releases (f_1, ..., f_d), where f_i sees only the records in region i. A record that comes or goes changes one
// region. A replaced record changes at most two regions, or one region twice. So the L1 sensitivity is max S(f_i) under
// add-remove and 2·max S(f_i) under replace-one, for every d. The release is purely ε-differentially private. Records
// outside all regions or outside the domain are ignored. Immutable.
//
// Dwork, McSherry, Nissim, Smith 2006, section 3.2. S(f_i) must be the add-remove sensitivity. The paper's Definition 2
// fixes the number of records. With Definition 2 the sensitivity above would be wrong: if f_i is the number of records
// in region i, S(f_i) is 0, but moving one record to another region changes two of the f_i.
class Partition {
 public:
  // Errors: kInvalidArgument (no regions, a member outside the domain, overlapping regions, a missing function, or only
  // sensitivities of 0); kLimitExceeded (more than 2^20 regions); kDomainTooLarge (more than 2^26 values);
  // kScaleTooLarge; kOverflow.
  static Result<Partition> create(const Epsilon& epsilon, std::uint32_t domain, std::vector<Region> regions,
                                  Neighbours neighbours);

  // Returns (f_1, ..., f_d) of the records.
  std::vector<std::int64_t> statistic(std::span<const std::uint32_t> rows) const;

  // Releases (f_1, ..., f_d) with noise. Clamps answers beyond ±2^61 (laplace_mechanism.h). Throws EntropyError.
  std::vector<std::int64_t> release(std::span<const std::uint32_t> rows, BitSource& bits) const;

  // Returns the least m with Pr[some answer is off by more than m] <= beta. Errors: kInvalidArgument unless 0 < beta <
  // 1.
  Result<std::uint64_t> error_bound(double beta) const { return laplace_.error_bound(regions_.size(), beta); }

  const LaplaceMechanism& laplace() const { return laplace_; }

 private:
  Partition(const LaplaceMechanism& laplace, std::vector<Region> regions, std::vector<std::uint32_t> region_of)
      : laplace_(laplace), regions_(std::move(regions)), region_of_(std::move(region_of)) {}

  LaplaceMechanism laplace_;
  std::vector<Region> regions_;
  // The region of each value of the domain; regions_.size() if there is none.
  std::vector<std::uint32_t> region_of_;
};

}  // namespace hearsay::central
