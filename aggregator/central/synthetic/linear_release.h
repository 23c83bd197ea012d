// Roth's release for linear queries: a synthetic histogram, scaled to the number of records.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "aggregator/central/neighbours.h"
#include "aggregator/central/synthetic/selection.h"
#include "common/privacy/discrete_laplace.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// D_out = (total/m)·D', where D' is `database` and m its size.
struct ScaledDatabase {
  SyntheticDatabase database;  // its proved ε covers D_out, the total included
  // The number of records ‖D‖₁ if it is public. Otherwise ‖D‖₁ plus noise, clamped to ±2^61; the total may then be
  // negative.
  std::int64_t total;

  // Returns total/m times the answer of a linear query on D', in records. The query's weights are in [0, 1]. Errors:
  // kInvalidArgument unless there is one finite weight for each element.
  Result<double> answer(std::span<const double> query) const;
};

// The release is purely and exactly α-differentially private if drawn by enumeration. D_out reveals its total, so the
// total must be public or noisy:
//  - replace-one: ‖D‖₁ is public, or
//  - add-remove: ‖D‖₁ is released with discrete Laplace noise of scale 1/α_total, and D' is drawn with α - α_total.
// Immutable, thread-safe. Roth 2010, Theorem 5. The paper draws with exp(-error·α/4), which spends only α/2. The paper
// publishes ‖D‖₁ without noise, which is not private under add-remove.
class LinearRelease {
 public:
  // `size` m >= 1. `alpha_for_total` must lie strictly between 0 and α for add-remove, and must be absent for
  // replace-one. Errors: kInvalidArgument; kOverflow (for add-remove, also if Selection::capacity() is 0).
  static Result<LinearRelease> create(QueryClass queries, std::uint32_t size, Neighbours neighbours,
                                      const Epsilon& alpha, const std::optional<Epsilon>& alpha_for_total);

  // histogram[x] is the number of records equal to x. Under replace-one, n is public, and empty data give
  // kInvalidArgument. Under add-remove no error depends on the data: a database without records is valid, and counts
  // above Selection::capacity() are lowered to this number. The answers are about the lowered counts. Errors: those of
  // Selection::enumerate() and walk(). Throws EntropyError.
  Result<ScaledDatabase> release(std::span<const std::uint64_t> histogram, BitSource& bits) const;
  Result<ScaledDatabase> release_by_chain(std::span<const std::uint64_t> histogram, std::uint64_t steps,
                                          BitSource& bits) const;

  // Returns best_error + (2/α)(log_multisets(|X|, m) + ln(1/beta)), in records. `best_error` is the error of the best
  // database of size m. With probability at least 1 - beta no query's answer is off by more. With noise on the total, α
  // minus α_total takes the place of α, beta/2 takes the place of beta, and ⌈ln(4/beta)/α_total⌉ is added. Errors:
  // kInvalidArgument unless best_error >= 0 and 0 < beta < 1.
  Result<double> error_bound(double best_error, double beta) const;

  // Return the parts of the law, for audits. The noise, if any, is independent of D'.
  Neighbours neighbours() const { return noise_ ? Neighbours::kAddRemove : Neighbours::kReplaceOne; }
  const Selection& selection() const { return selection_; }
  const std::optional<DiscreteLaplace>& total_noise() const { return noise_; }

 private:
  LinearRelease(Selection selection, std::optional<DiscreteLaplace> noise, const Rational& alpha)
      : selection_(std::move(selection)), noise_(noise), alpha_(alpha) {}
  std::vector<std::uint64_t> counted(std::span<const std::uint64_t> histogram) const;
  Result<ScaledDatabase> scaled(SyntheticDatabase database, std::span<const std::uint64_t> histogram,
                                BitSource& bits) const;
  Selection selection_;
  std::optional<DiscreteLaplace> noise_;
  Rational alpha_;
};

}  // namespace hearsay::central
