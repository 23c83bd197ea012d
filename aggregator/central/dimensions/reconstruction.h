// Attacks releases that are too accurate: reconstructs the records from the answers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/dimensions/shattering.h"

namespace hearsay::central {

// A secret T is half of d elements that the class shatters at one level. Its database D_T holds each element of T once,
// and its query q_T is high on T and low on the other elements. An attacker knows the d elements, and gets approximate
// answers to all queries of the class. The attacker guesses the T' for which q_T'(D_T') minus the answer to q_T' is
// least. Roth 2010, Lemmas 1 and 2. Immutable, thread-safe.
class Reconstruction {
 public:
  static constexpr std::size_t kMostElements = 20;

  // Uses an even number of elements of the shattered set, at most kMostElements. Errors: kInvalidArgument unless the
  // set has at least 2 elements, and all elements have the same `low` and the same `high` (level_shattering()).
  static Result<Reconstruction> create(const QueryClass& queries, Shattering witness);

  std::size_t elements() const { return elements_; }
  // Returns the secrets T as bits, bit j for the j-th element of the witness.
  std::span<const std::uint32_t> secrets() const { return secrets_; }
  // Returns D_T: a count for each element of the domain.
  std::vector<std::uint64_t> database(std::uint32_t secret) const;
  // Returns the attacker's guess, given one finite answer for each query of the class, in records.
  std::uint32_t guess(std::span<const double> answers) const;
  // Returns an upper bound on the number of T's d/2 elements that the attacker misses if all answers are off by at most
  // `error` records. The bound follows from |T △ T'| <= 4·error/gap, since T and T' have the same size.
  double most_missed(double error) const;

 private:
  Reconstruction(const QueryClass& queries, Shattering witness, std::size_t elements);
  Shattering witness_;
  std::size_t elements_;
  std::size_t domain_;
  double gap_;
  std::vector<std::uint32_t> secrets_;
  std::vector<double> own_answers_;  // q_T(D_T) for each secret
};

}  // namespace hearsay::central
