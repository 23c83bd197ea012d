// Releases whole classes of queries, and attacks the answers by reconstruction.
#pragma once

#include <cstdint>
#include <string_view>

#include "aggregator/central/dimensions/reconstruction.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

enum class ReleaseKind : std::uint8_t {
  // Discrete Laplace noise on every answer, for the L1 sensitivity of all answers together (add-remove).
  kLaplace,
  // LinearRelease (a synthetic database) with one row for each record of the secret; this number is public
  // (replace-one).
  kSynthetic,
  kExact,  // the true answers
};
// Reads "laplace", "synthetic" or "exact". Errors: kNotFound.
Result<ReleaseKind> release_kind(std::string_view name);

// Averages over runs. The error is in records. The other numbers count elements of the secret that the attack missed.
// `mean_most_missed` is Lemma 2's bound for the largest error of each run.
struct AttackSummary {
  double mean_error;
  double mean_missed;
  double mean_most_missed;
};

// Each run draws a secret, releases its database, and attacks the answers. Errors: those of LaplaceMechanism::create()
// for kLaplace, and those of LinearRelease for kSynthetic. Throws EntropyError.
Result<AttackSummary> attack_releases(const QueryClass& queries, const Reconstruction& attack, ReleaseKind kind,
                                      const Epsilon& epsilon, std::uint64_t runs, BitSource& bits);

}  // namespace hearsay::central
