// Roth's release for databases of real weights: D ∈ R^n_+, as in the paper.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/synthetic/selection.h"
#include "common/privacy/discrete_laplace.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// D_out = (total/m)·D', where D' is `database` and m its size.
struct ScaledRealDatabase {
  SyntheticDatabase database;
  double total;  // ‖D‖₁ plus noise; may be negative

  // Returns total/m times the answer of a linear query on D'. Errors: kInvalidArgument unless there is one finite
  // weight for each element.
  Result<double> answer(std::span<const double> query) const;
};

// The release is purely and exactly α-differentially private, for all D1, D2 ∈ R^n_+ with ‖D1 - D2‖₁ <= 1. Weights are
// rounded down to multiples of 1/resolution. The resolution is a power of two, so multiplying a weight by the
// resolution is exact. Rounding moves two neighbours apart by at most one unit of 1/resolution a coordinate. So for n
// elements, the score and the total have a sensitivity of resolution + n units. Rounding makes the noise larger by the
// factor 1 + n/resolution: choose a resolution far above n. D_out would reveal ‖D‖₁, so ‖D‖₁ is released with discrete
// Laplace noise. Immutable, thread-safe. Roth 2010, Definition 2 and Theorem 5.
class RealRelease {
 public:
  // `size` m >= 1; resolution = 2^`resolution_bits`, at most 2^20; 0 < alpha_for_total < alpha. Errors:
  // kInvalidArgument, kOverflow.
  static Result<RealRelease> create(QueryClass queries, std::uint32_t size, unsigned resolution_bits,
                                    const Epsilon& alpha, const Epsilon& alpha_for_total);

  // `weights` has one weight for each element. Refuses no weight: NaN and weights below 0 count as 0, and weights too
  // large to be scored are cut. Errors: kInvalidArgument (not one weight for each element), kDomainTooLarge (too many
  // multisets, see Selection::enumerate()). Throws EntropyError.
  Result<ScaledRealDatabase> release(std::span<const double> weights, BitSource& bits) const;

  // Return the parts of release(), for audits: the weights in units of 1/resolution, the selection and the noise.
  std::vector<std::uint64_t> in_units(std::span<const double> weights) const;
  const Selection& selection() const { return selection_; }
  const DiscreteLaplace& total_noise() const { return noise_; }

 private:
  RealRelease(Selection selection, const DiscreteLaplace& noise, std::uint64_t resolution, const Epsilon& alpha)
      : selection_(std::move(selection)), noise_(noise), resolution_(resolution), alpha_(alpha) {}
  Selection selection_;
  DiscreteLaplace noise_;
  std::uint64_t resolution_;
  Epsilon alpha_;
};

}  // namespace hearsay::central
