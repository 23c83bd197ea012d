// Computes exactly how much one report tells about a parity of the record, as a statistical difference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hearsay/epsilon.h"
#include "hearsay/result.h"

namespace hearsay::examples {

inline constexpr unsigned kMostBits = 12;

// Records are d bits. For r != 0, distances[r] is the statistical difference SD(Z(D_r), Z(D̄_r)), half the L1 distance.
// Z(D_r) is the report of a uniform record x with r·x = 0 (mod 2), and Z(D̄_r) is the report of a uniform record with
// r·x = 1. distances[0] is 0.
struct LocalChannel {
  std::string name;
  std::vector<double> distances;
};

// Returns up to seven of this project's channels on d booleans, with distances computed from the laws that the channels
// draw from, and three channels of the literature. The three are randomized response on all 2^d values, randomized
// response on each bit at ε/d, and the answer to one uniform parity. Errors: kDomainTooLarge above kMostBits, or if ε <
// d²/400,000; kInvalidArgument for d = 0.
// Cost: up to a minute for d = 12 and the least ε.
Result<std::vector<LocalChannel>> local_channels(unsigned bits, const Epsilon& epsilon);

// The bounds of Dwork, McSherry, Nissim, Smith 2006 on such distances, for every ε-private channel. Here h = e^ε - 1.
struct DistanceBounds {
  // Lemma 2 for a share 1 - alpha of all r, times two because Z(D) lies half-way between the two distributions. For a
  // share 1 - alpha of all r, a share 1 - 2h²/(alpha·δ²·2^d) of the outputs is δ-good. So SD(Z(D_r), Z(D)) <= δ +
  // 2h²/(alpha·δ²·2^d). The best δ makes this (3/2)·(4h²/(alpha·2^d))^{1/3}. (The δ printed in the paper has alpha in
  // the numerator.)
  double lemma_2;
  // The bound in the last line of the paper's proof: 2·4·(2h²/(alpha·2^d))^{1/3}. There δ makes both terms equal, and
  // one factor of 2 is superfluous.
  double as_printed;
  // The bound on the mean over all r, by Parseval's identity: sinh(ε/2)/√(2^d - 1).
  double mean;
};
DistanceBounds distance_bounds(unsigned bits, double epsilon, double alpha);

// Returns the least distance d so that at least the share `share` of all distances (without r = 0) is at most d.
double quantile(const LocalChannel& channel, double share);
double mean(const LocalChannel& channel);

}  // namespace hearsay::examples
