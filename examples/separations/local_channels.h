// What one report tells about a parity of the record: exact statistical differences.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hearsay/epsilon.h"
#include "hearsay/result.h"

namespace hearsay::examples {

inline constexpr unsigned kMostBits = 12;

// Records are d bits. distances[r], r != 0, is the statistical difference SD(Z(D_r), Z(D̄_r)) between the reports of
// uniform records with r·x = 0 and with r·x = 1 (mod 2): half the L1 distance. distances[0] is 0.
struct LocalChannel {
  std::string name;
  std::vector<double> distances;
};

// This project's channels on d booleans, with the laws that they draw from, and three of the literature: randomized
// response on all 2^d values, on each bit at ε/d, and the answer to one uniform parity. Errors: kDomainTooLarge above
// kMostBits, or if ε < d²/400,000; kInvalidArgument for d = 0. Cost: a second for d = 12.
Result<std::vector<LocalChannel>> local_channels(unsigned bits, const Epsilon& epsilon);

// The bounds of Dwork, McSherry, Nissim, Smith 2006 on such distances, for every ε-private channel. e = e^ε - 1.
struct DistanceBounds {
  // Lemma 2 for a share 1 - alpha of all r, twice, because Z(D) lies half-way between: with probability 1 - alpha a
  // share 1 - 2e²/(alpha·δ²·2^d) of the outputs is δ-good, so SD(Z(D_r), Z(D)) <= δ + 2e²/(alpha·δ²·2^d); the best δ
  // makes it (3/2)·(4e²/(alpha·2^d))^{1/3}. (The printed δ has alpha in the numerator.)
  double lemma_2;
  // As the proof ends, 2·4·(2e²/(alpha·2^d))^{1/3}: with δ that makes both terms equal, and a factor 2 too many.
  double as_printed;
  // Of the mean over all r: sinh(ε/2)/√(2^d - 1), by Parseval's identity. Much sharper.
  double mean;
};
DistanceBounds distance_bounds(unsigned bits, double epsilon, double alpha);

// The value that a share of at least `share` of the distances, r = 0 left out, do not exceed.
double quantile(const LocalChannel& channel, double share);
double mean(const LocalChannel& channel);

}  // namespace hearsay::examples
