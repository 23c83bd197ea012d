// Releases a point near f(x), for functions into any finite metric space.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "aggregator/central/neighbours.h"
#include "common/base/rational.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// Releases a point y with Pr[y] ∝ exp(-rate()·d(f(x), y)), from the points 0, ..., N-1. The release is purely
// ε-differentially private for every f with d(f(x), f(x')) <= S for neighbours x, x'. With rate ε/(2S), half of the
// loss ε comes from the weights and half from their sum (Theorem 2). If every point has the same multiset of distances
// to all points, the sum does not depend on f(x), and the rate is ε/S (Remark 1). Uses integers and random bits only.
// The guarantee does not cover the running time, which depends on f(x). Immutable, thread-safe. Dwork, McSherry,
// Nissim, Smith 2006, section 3.3. In the paper's equation (4) and function h, the exponent lacks its minus sign.
class MetricMechanism {
 public:
  // Returns d(y, z), a metric in integer steps. create() calls this function for every pair.
  using Distance = std::function<std::uint64_t(std::uint32_t, std::uint32_t)>;

  static constexpr std::uint32_t kMostPoints = 1024;
  static constexpr std::uint64_t kLargestDistance = std::uint64_t{1} << 24U;

  // `sensitivity` S >= 1, in steps. Checks that d is a metric, by about N³/2 comparisons. Errors: kInvalidArgument if
  // there is no point or S is 0, or if d is not a metric (symmetric, 0 exactly on the diagonal, with the triangle
  // inequality); kDomainTooLarge above 1,024 points; kLimitExceeded for d or S above 2^24.
  static Result<MetricMechanism> create(const Epsilon& epsilon, std::uint32_t points, const Distance& distance,
                                        std::uint64_t sensitivity, Neighbours neighbours);

  // Releases a point for `value` = f(x). Draws by rejection, with at most N attempts on average. A value that is no
  // point counts as point 0; the sensitivity must hold for f read in this way. Throws EntropyError.
  std::uint32_t release(std::uint32_t value, BitSource& bits) const;

  // Return the parts of the exact law: Pr[y | z] = exp(-rate·d(z,y)) / Σ_w exp(-rate·d(z,w)).
  std::uint32_t points() const { return points_; }
  const Rational& rate() const { return rate_; }
  std::uint64_t distance(std::uint32_t y, std::uint32_t z) const { return distances_[std::size_t{y} * points_ + z]; }

  // Returns an r with Pr[d(f(x), output) > r] <= beta for every f(x): ⌈ln((N-1)/beta)/rate⌉ - 1, at least 0, in steps.
  // Errors: kInvalidArgument unless 0 < beta < 1.
  Result<std::uint64_t> error_bound(double beta) const;

  Neighbours neighbours() const { return neighbours_; }

 private:
  MetricMechanism(std::uint32_t points, std::vector<std::uint64_t> distances, const Rational& rate,
                  Neighbours neighbours)
      : points_(points), distances_(std::move(distances)), rate_(rate), neighbours_(neighbours) {}

  std::uint32_t points_;
  std::vector<std::uint64_t> distances_;
  Rational rate_;
  Neighbours neighbours_;
};

}  // namespace hearsay::central
