// The law of a whole session of the online median mechanism, for audits on tiny domains.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/median/online_median.h"

namespace hearsay::central {

// The probabilities of what a session publishes about a fixed list of queries, given the number of records N (which
// for kAddRemove is released before, at its own ε): one entry for every pattern of hard queries within the budget and
// every tuple of hard answers within the window. The order depends on public things only, so that the laws of two
// databases with the same N, queries and window can be compared entry by entry.
struct MedianLaw {
  std::vector<double>
      probabilities;  // from the integers that sessions draw from; each within 1e-12 of itself or 2^-128
  double unlisted;    // at least the probability of all other outcomes: hard answers outside the window
};

// Hard answers, times unit, that are listed.
struct AnswerWindow {
  std::int64_t low;
  std::int64_t high;
};

// Errors: kInvalidArgument for a histogram or queries of another domain, an empty window, or too many queries;
// kDomainTooLarge if more than 2^22 outcomes would be listed. Cost: that of all outcomes, and of pruning for each tuple
// of hard answers short of the last.
Result<MedianLaw> median_law(const OnlineMedian& mechanism, std::int64_t total,
                             std::span<const std::uint64_t> histogram,
                             const std::vector<std::vector<std::uint32_t>>& queries, AnswerWindow window);

// An upper bound of the least τ with Pr[Z|a] <= e^alpha·Pr[Z|b] + τ for all sets Z of outcomes: Σ max(0, a -
// e^alpha·b), what is unlisted of a, and 1e-11 for rounding. `lower` is the sum of the listed without that. Errors:
// kInvalidArgument if the laws do not list as many outcomes, or alpha is not finite and at least 0.
struct HockeyStick {
  double lower;
  double upper;
};
Result<HockeyStick> hockey_stick(const MedianLaw& a, const MedianLaw& b, double alpha);

}  // namespace hearsay::central
