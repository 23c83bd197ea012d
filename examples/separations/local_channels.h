// Computes exactly how much one report tells about a parity of the record, as a statistical difference.
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

// This project's channels on d booleans, computed from the laws that they draw from, and three channels of the
// literature: randomized response on all 2^d values, randomized response on each bit at ε/d, and the answer to one
// uniform parity. Errors: kDomainTooLarge above kMostBits, or if ε < d²/400,000; kInvalidArgument for d = 0. Cost: a
// second for d = 12.
Result<std::vector<LocalChannel>> local_channels(unsigned bits, const Epsilon& epsilon);

// The bounds of Dwork, McSherry, Nissim, Smith 2006 on such distances, for every ε-private channel. e = e^ε - 1.
struct DistanceBounds {
  // Lemma 2 for a share 1 - alpha of all r, times two because Z(D) lies half-way between the two distributions. With
  // probability 1 - alpha a share 1 - 2e²/(alpha·δ²·2^d) of the outputs is δ-good. So SD(Z(D_r), Z(D)) <= δ +
  // 2e²/(alpha·δ²·2^d). The best δ makes this (3/2)·(4e²/(alpha·2^d))^{1/3}. (The δ printed in the paper has alpha in
  // the numerator.)
  double lemma_2;
  // The bound in the last line of the paper's proof: 2·4·(2e²/(alpha·2^d))^{1/3}. There δ makes both terms equal, and
  // the bound is too large by a factor 2.
  double as_printed;
  // The bound on the mean over all r, by Parseval's identity: sinh(ε/2)/√(2^d - 1). Much sharper.
  double mean;
};
DistanceBounds distance_bounds(unsigned bits, double epsilon, double alpha);

// Returns the quantile: at least the share `share` of the distances (without r = 0) are at most this value.
double quantile(const LocalChannel& channel, double share);
double mean(const LocalChannel& channel);

}  // namespace hearsay::examples
