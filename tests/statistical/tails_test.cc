// Compares the tail bounds with sums that the real sampler draws. (Unit tests compare the bounds with exact laws.)
//
// The check fails if the lower Clopper-Pearson bound for the observed share, at error 1e-9, exceeds the tail bound. So
// the false alarm is at most 1e-9 for each of 10 checks. With 50,000 runs the test detects a share that exceeds a
// bound of 0.1 by 0.01.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "aggregator/tails/chernoff.h"
#include "aggregator/tails/distributions.h"
#include "common/privacy/discrete_laplace.h"
#include "tests/support/bit_sources.h"
#include "tests/support/paper_bounds.h"

namespace hearsay::tests {
namespace {

constexpr std::uint64_t kRuns = 50'000;
constexpr int kReports = 20;
constexpr double kScale = 5;
constexpr double kWeights[] = {0.6, -0.8};  // a unit vector, as Theorem 6 requires

const std::vector<double>& sums() {
  static const std::vector<double> drawn = [] {
    tests::CounterBitSource bits("tail bounds");
    const DiscreteLaplace law = DiscreteLaplace::create(Rational::create(5, 1).value()).value();
    std::vector<double> result(kRuns, 0);
    for (double& sum : result) {
      for (int i = 0; i < kReports; ++i) {
        for (const double weight : kWeights) sum += weight * static_cast<double>(law.sample(bits));
      }
    }
    return result;
  }();
  return drawn;
}

// Returns true if the sums reach `deviation` more often than a probability of `bound` can explain. If two_sided,
// absolute values of sums count.
bool refuted(double deviation, double bound, bool two_sided) {
  std::uint64_t hits = 0;
  for (const double sum : sums()) hits += (two_sided ? std::abs(sum) : sum) >= deviation ? 1 : 0;
  return tails::clopper_pearson(hits, kRuns, 1e-9).value().low > bound;
}

TEST_CASE("Theorem 6 holds for sums of the sampler's noise") {
  // One standard deviation of the sum is √(2·20)·5 = 31.6.
  for (const double deviation : {10.0, 30.0, 60.0, 90.0, 120.0}) {
    CHECK_FALSE(refuted(deviation, theorem6_tail(deviation, kScale, kReports), false));
  }
  // Planted: the bound for a third of the scale. The bound for half of the scale is too near the true probability to be
  // refuted.
  CHECK(refuted(60, theorem6_tail(60, kScale / 3, kReports), false));
}

TEST_CASE("the Chernoff half-width holds for sums of the sampler's noise") {
  tails::ReportError error;
  for (const double weight : kWeights) error.noise.push_back({weight, kScale});
  for (const double beta : {0.5, 0.1, 0.01, 1e-3, 1e-4}) {
    CHECK_FALSE(refuted(kReports * tails::chernoff_half_width(error, kReports, beta).value(), beta, true));
  }
  // Planted: the bound forgets one coordinate.
  error.noise.pop_back();
  CHECK(refuted(kReports * tails::chernoff_half_width(error, kReports, 0.1).value(), 0.1, true));
}

}  // namespace
}  // namespace hearsay::tests
