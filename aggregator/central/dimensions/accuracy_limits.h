// How many records a release needs, and how accurate it can be at all: bounds by the dimension of the class.
#pragma once

#include <cstdint>

#include "aggregator/central/dimensions/shattering.h"
#include "aggregator/central/neighbours.h"

namespace hearsay::central {

// What no private mechanism can do, and the databases that show it: T is half of the elements of `witness`.
struct AccuracyLowerBound {
  double error;  // in records; 0 if the class or delta give no bound
  double gap;    // the witness's high - low
  Shattering witness;
};

// If an alpha-private mechanism answers all queries of the class within `error` of the truth, in records, with
// probability at least 1 - delta, then error >= (gap·d/4)·(1 - delta·(1+R))/((1-delta)·(1+R)), where R = e^{2·alpha} for
// add-remove (two databases of the proof are a record removed and one added apart) and e^alpha for replace-one, and d,
// even, is the size of a set that level_shattering() finds; the largest bound over all gaps. delta must be below
// 1/(1+R), or the bound is 0: "bounded away from 1" is not enough.
// Roth 2010, Theorem 2, whose proof takes the two databases for neighbours, and leaves delta out of the probabilities.
// Errors: kInvalidArgument unless alpha >= 0 and 0 <= delta < 1; those of level_shattering() and weight_gaps().
Result<AccuracyLowerBound> accuracy_lower_bound(const QueryClass& queries, double alpha, double delta,
                                                Neighbours neighbours);

// A size m at which every database has a synthetic one whose fractions are off by less than error/2 for every predicate
// of a class of this VC dimension: 8·(em/v)^v·exp(-m·(error/2)²/32) < 1 (Vapnik and Chervonenkis; Sauer's lemma). In
// place of Lemma 3.2 of Blum, Ligett and Roth 2008, whose constant is not given. Compare synthetic_size() for a finite
// class. 0 < error < 1. Errors: kInvalidArgument; kOverflow above 2^53.
Result<std::uint64_t> vc_synthetic_size(std::uint64_t vc_dimension, double error);

// The same for linear queries, where `dimension` is FSD at fat_scale(error). With h = error/2, m is such that
// 16·(256m/h²)^(v·log2(32em/(vh)))·exp(-m·h²/128) < 1: Pollard's inequality (1984) with the covering numbers of Alon,
// Ben-David, Cesa-Bianchi, Haussler (1997). In place of Corollary 1 of Roth 2010, which rests on a theorem of Bartlett
// and Long with a better scale and no constant.
Result<std::uint64_t> fat_synthetic_size(std::uint64_t dimension, double error);
// error/64, rounded down to a multiple of 10^-9.
Result<Rational> fat_scale(double error);

}  // namespace hearsay::central
