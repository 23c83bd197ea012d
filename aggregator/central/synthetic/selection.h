// Draws a synthetic database by the exponential mechanism, for all releases of this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/central/exponential/gap_decay.h"
#include "aggregator/central/synthetic/multisets.h"
#include "aggregator/central/synthetic/query_class.h"

namespace hearsay::central {

// A synthetic database of size m.
struct SyntheticDatabase {
  Counts counts;  // how often each element occurs; sums to m
  // The proved ε of this release, for the neighbours of the mechanism. Empty if a Markov chain drew the database: the
  // chain has no proved ε.
  std::optional<Rational> proved_epsilon;

  // Returns total/m times the answer of a linear query. Errors: kInvalidArgument unless there is one finite weight for
  // each element.
  Result<double> scaled_answer(double total, std::span<const double> query) const;
};

// Draws a multiset D' of m elements for a histogram D, by the score -max_q |q(D) - (‖D‖₁/m)·q(D')|. The score's
// sensitivity is exactly 1 record. Under replace-one, one record moves q(D) by at most 1. Under add-remove the score
// moves by at most |q_x - q(D')/m| <= 1, for the record x that comes or goes (Roth 2010 has 1 + 1/m). The score is an
// integer after multiplication by m·unit. Blum, Ligett, Roth 2008, section 3 (the paper divides the score by n).
// Immutable, thread-safe.
class Selection {
 public:
  // `size` m >= 1. Errors: kInvalidArgument (ε = 0, m = 0), kOverflow.
  static Result<Selection> create(QueryClass queries, std::uint32_t size, const Rational& epsilon);

  const QueryClass& queries() const { return queries_; }
  std::uint32_t size() const { return size_; }
  const GapDecay& decay() const { return decay_; }

  // Draws from the exponential mechanism over all multisets. Errors: kInvalidArgument unless there is one count for
  // each element; kOverflow if ‖D‖₁·m·unit exceeds 2^61, so pass within_capacity() if ‖D‖₁ is private; kDomainTooLarge
  // above 2^22 multisets or 2^33 operations. Throws EntropyError. Cost: |C|·min(m, |X|) for each multiset, where C is
  // the class of queries. The guarantee does not cover the time, which depends on the scores.
  Result<SyntheticDatabase> enumerate(std::span<const std::uint64_t> histogram, BitSource& bits) const;

  // Takes `steps` steps of a Metropolis chain whose stationary law is that of enumerate(). The chain starts with copies
  // spread evenly over the elements. A step picks two uniform elements. If the first has a copy in D', the step
  // proposes to move one copy from the first to the second. The chain has no proved ε. Errors: as enumerate(), except
  // for the number of multisets; kLimitExceeded if the cost exceeds 2^36. Throws EntropyError. Cost: |X| + |C| for each
  // step.
  Result<SyntheticDatabase> walk(std::span<const std::uint64_t> histogram, std::uint64_t steps, BitSource& bits) const;

  // Returns the largest c for which no histogram with counts up to c exceeds enumerate()'s limit: ⌊2^61/(m·unit·|X|)⌋.
  std::uint64_t capacity() const;
  // Returns the histogram with counts above capacity() lowered to capacity(). Neighbours under add-remove stay
  // neighbours, or become equal.
  std::vector<std::uint64_t> within_capacity(std::span<const std::uint64_t> histogram) const;

  // Returns the scores that enumerate() selects by, for audits, in units of 1/(m·unit) records. The order is that of
  // Multisets. Errors: as for enumerate().
  Result<std::vector<std::int64_t>> scores(std::span<const std::uint64_t> histogram) const;

 private:
  Selection(QueryClass queries, std::uint32_t size, const GapDecay& decay)
      : queries_(std::move(queries)), size_(size), decay_(decay) {}
  QueryClass queries_;
  std::uint32_t size_;
  GapDecay decay_;
};

}  // namespace hearsay::central
