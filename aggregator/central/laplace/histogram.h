// Releases a noisy histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

// Releases the number of records in each of d disjoint bins. A record that comes or goes changes one count; a record
// that moves changes two. So the L1 sensitivity is 1 under add-remove and 2 under replace-one, for every d. The release
// is purely ε-differentially private. Counts are not clipped at 0. Immutable, thread-safe. Dwork, McSherry, Nissim,
// Smith 2006, Example 3 and section 3.2.
class Histogram {
 public:
  // Errors: kInvalidArgument for no bins.
  static Result<Histogram> create(const Epsilon& epsilon, std::size_t bins, Neighbours neighbours);

  // Returns the exact counts. `rows` holds the bin of each record, 0 to bins - 1. A record in a bin that does not exist
  // is counted nowhere.
  std::vector<std::int64_t> statistic(std::span<const std::uint32_t> rows) const;

  // Releases all counts. Throws EntropyError.
  std::vector<std::int64_t> release(std::span<const std::uint32_t> rows, BitSource& bits) const;

  // Returns the least m with Pr[some count is off by more than m] <= beta: at most ⌈(S/ε)·ln(2·bins/beta)⌉, where S is
  // the sensitivity. Errors: kInvalidArgument unless 0 < beta < 1.
  Result<std::uint64_t> error_bound(double beta) const { return laplace_.error_bound(bins_, beta); }

  // Returns ⌈m/alpha⌉, at least 1, where m is error_bound(beta). For this number of people or more, with probability at
  // least 1 - beta, each bin's fraction is off by at most alpha. Errors: kInvalidArgument unless 0 < alpha, beta < 1;
  // kOverflow above 2^53.
  Result<std::uint64_t> users(double alpha, double beta) const;

  const LaplaceMechanism& laplace() const { return laplace_; }

 private:
  Histogram(const LaplaceMechanism& laplace, std::size_t bins) : laplace_(laplace), bins_(bins) {}

  LaplaceMechanism laplace_;
  std::size_t bins_;
};

}  // namespace hearsay::central
