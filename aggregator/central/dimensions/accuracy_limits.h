// Bounds from the dimension of a class: sizes of synthetic databases that suffice, and how small an error can be.
#pragma once

#include <cstdint>

#include "aggregator/central/dimensions/shattering.h"
#include "aggregator/central/neighbours.h"

namespace hearsay::central {

// A lower bound on the error of every private mechanism, and the shattered set that proves the bound. Each database in
// the proof holds half of the elements of `witness`.
struct AccuracyLowerBound {
  double error;  // in records; 0 if there is no bound
  double gap;    // high - low of the witness's elements
  Shattering witness;
};

// Suppose an alpha-private mechanism answers all queries of the class within `error` records of the truth, with
// probability at least 1 - delta. Then error >= (gap·d/4)·(1 - delta·(1+R))/((1-delta)·(1+R)), for every gap between
// two weights of the class. Here d is the size of the set that level_shattering() finds for the gap, rounded down to an
// even number. R is e^alpha for replace-one. R is e^{2·alpha} for add-remove, where two databases of the proof are two
// changes apart. Returns the largest such bound over all gaps. The result is 0 unless delta is below 1/(1+R); the
// paper's "bounded away from 1" is not enough.
//
// Corrects Roth 2010, Theorem 2. The paper's proof has two mistakes. The proof treats two databases as neighbours that,
// under add-remove, are two changes apart. The proof also leaves delta out of the probabilities. Errors:
// kInvalidArgument unless alpha >= 0 and 0 <= delta < 1; those of level_shattering() and weight_gaps().
Result<AccuracyLowerBound> accuracy_lower_bound(const QueryClass& queries, double alpha, double delta,
                                                Neighbours neighbours);

// Returns a size m of synthetic databases for the predicates of a class of this VC dimension v. For every database
// there is a synthetic database of size m whose fractions are off by less than error/2 for each predicate. m satisfies
// 8·(em/v)^v·exp(-m·(error/2)²/32) < 1 (Vapnik and Chervonenkis; Sauer's lemma). The inequality replaces Lemma 3.2 of
// Blum, Ligett and Roth 2008, which gives no constant. For a finite class, compare with synthetic_size(). 0 < error <
// 1. Errors: kInvalidArgument; kOverflow above 2^53.
Result<std::uint64_t> vc_synthetic_size(std::uint64_t vc_dimension, double error);

// Returns a size m as vc_synthetic_size() does, for linear queries, where v = `dimension` is the fat-shattering
// dimension at fat_scale(error). With h = error/2, m satisfies 16·(256m/h²)^(v·log2(32em/(vh)))·exp(-m·h²/128) < 1.
// This is Pollard's inequality (1984) with the covering numbers of Alon, Ben-David, Cesa-Bianchi, Haussler (1997). The
// formula replaces Corollary 1 of Roth 2010, which uses a theorem of Bartlett and Long. Their theorem has a better
// scale, but states no constant.
Result<std::uint64_t> fat_synthetic_size(std::uint64_t dimension, double error);
// Returns error/64, rounded down to a multiple of 10^-9.
Result<Rational> fat_scale(double error);

}  // namespace hearsay::central
