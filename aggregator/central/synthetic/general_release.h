// The general release of Blum, Ligett and Roth: a synthetic database useful for every query of a class.
#pragma once

#include <cstdint>
#include <span>

#include "aggregator/central/neighbours.h"
#include "aggregator/central/synthetic/selection.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// Releases a synthetic database of m records from n records over a finite domain. For all predicates of a class at
// once, the fractions of the synthetic database are close to the true ones. If the database is drawn by enumeration,
// the release is purely and exactly α-differentially private under replace-one neighbours (n is public). Immutable,
// thread-safe. Blum, Ligett, Roth 2008, Theorem 3.1, with the exponent of Definition 3.3 corrected to q·α·n/2, where q
// = -max_h |h(D) - h(D')|.
class GeneralRelease {
 public:
  static constexpr Neighbours kNeighbours = Neighbours::kReplaceOne;

  // `size` m >= 1. Errors: kInvalidArgument; kOverflow.
  static Result<GeneralRelease> create(QueryClass queries, std::uint32_t size, const Epsilon& alpha);

  // histogram[x] is the number of records equal to x; there must be at least one record. Errors: kInvalidArgument for
  // empty data; those of Selection::enumerate() and walk(). All errors depend only on n and other public numbers.
  // Throws EntropyError.
  Result<SyntheticDatabase> release(std::span<const std::uint64_t> histogram, BitSource& bits) const;
  Result<SyntheticDatabase> release_by_chain(std::span<const std::uint64_t> histogram, std::uint64_t steps,
                                             BitSource& bits) const;

  // Returns the selection. Audits read its scores.
  const Selection& selection() const { return selection_; }

 private:
  explicit GeneralRelease(Selection selection) : selection_(std::move(selection)) {}
  Selection selection_;
};

// The two functions below help to choose m and n before a release. The functions give the utility of GeneralRelease and
// LinearRelease, with explicit constants. Errors of both: kInvalidArgument (a parameter outside the stated range),
// kOverflow (the answer exceeds 2^53).

// Returns m = ⌊(2/error²)·ln(2·queries)⌋ + 1, with queries = exp(log_queries). For every database there is a synthetic
// database of size m whose fractions are off by less than error/2 for each query. Why: the probability that m draws
// from the database are off by error/2 on some query is below 2·queries·exp(-m·error²/2) < 1 (Hoeffding). Lemma 3.2,
// and Corollary 1 of Roth 2010, give no constants. log_queries >= 0, 0 < error < 1.
Result<std::uint64_t> synthetic_size(double log_queries, double error);

// Returns the n of Theorem 3.1 for exp(log_databases) synthetic databases, of which at least one is off by at most
// error/2: n = ⌈(4/(error·α))·(log_databases + ln(1/δ))⌉. With n records the release is off by error or more with
// probability at most δ. For multisets, log_databases = log_multisets(|X|, m). The paper counts sequences, for which
// log_databases = m·ln|X|. log_databases >= 0, 0 < error, δ < 1, α > 0.
Result<std::uint64_t> release_rows(double log_databases, double error, double alpha, double delta);

}  // namespace hearsay::central
