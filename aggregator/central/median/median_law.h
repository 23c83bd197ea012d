// The law of a whole session of the online median mechanism, for audits on tiny domains.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/median/online_median.h"

namespace hearsay::central {

// The law of everything that a session publishes about a fixed list of queries, given the number of records N. (For
// kAddRemove, the session releases N beforehand, and N has its own share of α.) There is one entry for each pattern of
// hard queries within the budget and each tuple of hard answers within the window. The order depends only on public
// things. So the laws of two databases with the same N, queries and window can be compared entry by entry.
struct MedianLaw {
  // The error of each probability p is at most the larger of 1e-12·p and 2^-128.
  std::vector<double> probabilities;
  double unlisted;  // at least the probability of all outcomes with a hard answer outside the window
};

// A MedianLaw lists the hard answers from low to high, in units of 1/unit record.
struct AnswerWindow {
  std::int64_t low;
  std::int64_t high;
};

// Returns the law. Errors: kInvalidArgument (a histogram or queries of another domain, too many queries or records, or
// an empty or too wide window); kDomainTooLarge (more than 64 queries, or more than 2^22 outcomes to list).
Result<MedianLaw> median_law(const OnlineMedian& mechanism, std::int64_t total,
                             std::span<const std::uint64_t> histogram,
                             const std::vector<std::vector<std::uint32_t>>& queries, AnswerWindow window);

// `upper` is an upper bound of the least τ with Pr[Z|a] <= e^alpha·Pr[Z|b] + τ for all sets Z of outcomes. The bound is
// Σ max(0, a - e^alpha·b) over the listed outcomes, plus the unlisted probability of a, plus 1e-11 for rounding.
// `lower` is the sum alone. Errors: kInvalidArgument (the laws list different numbers of outcomes; alpha is negative or
// not finite).
struct HockeyStick {
  double lower;
  double upper;
};
Result<HockeyStick> hockey_stick(const MedianLaw& a, const MedianLaw& b, double alpha);

}  // namespace hearsay::central
