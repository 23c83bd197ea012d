// This comment proves that the half-width holds for every number n of reports and for all records. The symbols g, γ, I,
// I_T and q are those of sampled_variance.h. A place is a report without its record: the group that was drawn, and its
// noise. φ_p is the amount that the report at place p adds to the estimate. The probabilities below are conditional.
// For coordinates normalised by their own reports, the number of reports of every group is given. For the other
// coordinates, the number of reports with the same attributes is given. A uniform permutation π assigns the records x_i
// to the places. With c(p, i) = E[φ_p|x_i], the error is
//   Σ_p (φ_p - c(p, π(p)))  +  Σ_p (c(p, π(p)) - mean_i c(p, i)).
// The summands of the first part, the noise, are independent given π. Bennett's inequality bounds their generating
// functions by a variance and a radius that hold for every record. For the second part, E Π_p exp(s·c(p, π(p))) =
// perm(A)/n! with A_pi = exp(s·c(p, i)). By Carlen, Lieb and Loss 2006 (an inequality of Hadamard type for permanents)
//   perm(A)/n! <= Π_p (mean_i A_pi²)^(1/2) <= Π_p exp(s·mean_i c(p, i) + s²·w_p²/4),
// where the last step is Hoeffding's lemma for an interval of length w_p that contains all c(p, ·). So the second part
// is sub-Gaussian with the variance Σ_p w_p²/2. (The bound for independent draws does not hold here: with c(1, ·) = (1,
// -1) = -c(2, ·) the permutation has twice the variance of independent draws.)
//
// The two kinds of coordinates need different conditions. If a query has coordinates of both kinds, each kind gets half
// of β.

#include "aggregator/estimator/sampled/sampled_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "aggregator/estimator/sampled/sampled_variance.h"
#include "aggregator/tails/query_error.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

struct Sums {
  double variance = 0;
  double radius = 0;
  double subgaussian = 0;
  bool any() const { return variance > 0 || subgaussian > 0; }

  void add(double reports, double noise_variance, double noise_radius, double range) {
    variance += reports * noise_variance;
    radius = std::max(radius, noise_radius);
    subgaussian += reports * range * range / 2;
  }
};

double square(double x) { return x * x; }

// φ = ±g·γ/I, so the noise has the variance (1-γ²)·φ².
void add_singles(const SampledView& view, std::span<const double> g, Sums& by_coordinate, double& influence) {
  for (const CoordinateSet& set : view.sets()) {
    if (set.single_gamma == 0) continue;
    for (std::size_t slot = set.slot; slot < set.slot + set.size; ++slot) {
      const double phi = std::abs(g[slot]) * set.single_gamma / view.information(slot);
      influence = std::max(influence, 2 * phi);
      if (!set.by_coordinate || view.singles(slot) == 0) continue;
      by_coordinate.add(view.singles(slot), (1 - square(set.single_gamma)) * square(phi), (1 + set.single_gamma) * phi,
                        2 * set.single_gamma * phi);
    }
  }
}

// The least and the largest φ over all answers, for the sets normalised by coordinate. `diagonal` is q of these sets
// (sampled_variance.h).
struct Extremes {
  double low = 0;
  double high = 0;
  double diagonal = 0;
  double largest() const { return std::max(-low, high); }
};

Extremes pattern_extremes(const SampledView& view, const SampledView::Pattern& pattern, std::span<const double> g) {
  std::vector<std::uint32_t> masks;
  std::vector<double> coefficients;
  double diagonal = 0;
  bool independent = true;  // the coordinates are different bits of the answer
  double sum = 0;
  for (const SampledView::Term& term : pattern.terms) {
    if (!view.sets()[term.set].by_coordinate) continue;
    masks.push_back(term.mask);
    coefficients.push_back(g[term.slot] * pattern.gamma / view.information(term.slot));
    independent = independent && std::has_single_bit(term.mask);
    sum += std::abs(coefficients.back());
    diagonal += square(coefficients.back());
  }
  if (independent) return {-sum, sum, diagonal};
  std::vector<std::uint32_t> answers(std::size_t{1} << pattern.width);
  std::iota(answers.begin(), answers.end(), 0U);
  const auto [low, high] = std::ranges::minmax(character_sums(masks, coefficients, answers, pattern.width));
  return {low, high, diagonal};
}

// For one set: max_j |g_j|/I_j, Σ_j g_j² and Σ_j |g_j|.
struct SetNorms {
  double largest = 0;
  double squares = 0;
  double sum = 0;
};

std::vector<SetNorms> set_norms(const SampledView& view, std::span<const double> g) {
  std::vector<SetNorms> norms;
  for (const CoordinateSet& set : view.sets()) {
    SetNorms& of = norms.emplace_back();
    for (std::size_t slot = set.slot; slot < set.slot + set.size; ++slot) {
      of.largest = std::max(of.largest, std::abs(g[slot]) / view.information(slot));
      of.squares += square(g[slot]);
      of.sum += std::abs(g[slot]);
    }
  }
  return norms;
}

// Adds the patterns. Returns the largest swing of φ (its maximum less its minimum over the answers), also over groups
// of the same class and attributes that nobody drew. If a set has several coordinates, the result is an upper bound.
double add_patterns(const SampledView& view, std::span<const double> g, std::span<const SetNorms> norms,
                    Sums& by_coordinate) {
  double influence = 0;
  for (const SampledView::Pattern& pattern : view.patterns()) {
    const Extremes phi = pattern_extremes(view, pattern, g);
    const double gamma = pattern.gamma;
    by_coordinate.add(pattern.reports, (1 - gamma) * (gamma * square(phi.largest()) + phi.diagonal),
                      (1 + gamma) * phi.largest(), gamma * (phi.high - phi.low));
    bool exact = true;
    double bound = 0;
    for (const SampledView::Term& term : pattern.terms) {
      const CoordinateSet& set = view.sets()[term.set];
      if (!set.by_coordinate) continue;
      exact = exact && set.size == 1;
      bound += 2 * gamma * norms[term.set].largest;
    }
    influence = std::max(influence, exact ? phi.high - phi.low : bound);
  }
  return influence;
}

// Adds the blocks, for which the noise includes the draw of the coordinates within their sets. If a block has k sets T,
// E[φ²|x] is at most (γ·k + 1-γ)·Σ_T (γ/I_T)²·(mean of g_j² on T), by Cauchy–Schwarz for the true answer. Returns the
// largest swing.
double add_blocks(const SampledView& view, std::span<const SetNorms> norms, Sums& by_set) {
  double influence = 0;
  for (const SampledView::Block& block : view.blocks()) {
    double squares = 0;
    double largest = 0;
    double mean = 0;
    for (const std::uint32_t s : block.sets) {
      const CoordinateSet& set = view.sets()[s];
      const double factor = block.gamma / view.information(set.slot);
      const auto size = static_cast<double>(set.size);
      squares += square(factor) * norms[s].squares / size;
      largest += block.gamma * norms[s].largest;
      mean += factor * block.gamma * norms[s].sum / size;
    }
    const auto sets = static_cast<double>(block.sets.size());
    by_set.add(block.reports, (block.gamma * sets + 1 - block.gamma) * squares, largest + mean, 2 * mean);
    if (block.wide) influence = std::max(influence, 2 * largest);
  }
  return influence;
}

tails::ReportError report_error(const Sums& sums, const compiler::LinearQuery& query, std::uint64_t reports) {
  const auto n = static_cast<double>(reports);
  tails::ReportError error;
  error.bounded_variance = n * sums.variance;
  error.bounded_radius = n * sums.radius;
  error.subgaussian_variance = n * sums.subgaussian;
  tails::add_instances(query, error);
  return error;
}

}  // namespace

Result<SampledBounds> sampled_bounds(const SampledView& view, std::span<const double> g,
                                     const compiler::LinearQuery& query, std::uint64_t reports, double beta) {
  Sums by_coordinate;
  Sums by_set;
  double influence = 0;
  const std::vector<SetNorms> norms = set_norms(view, g);
  add_singles(view, g, by_coordinate, influence);
  const double of_patterns = add_patterns(view, g, norms, by_coordinate);
  influence = std::max(influence, of_patterns + add_blocks(view, norms, by_set));
  double half_width = 0;
  const double share = by_coordinate.any() && by_set.any() ? beta / 2 : beta;
  for (const Sums& sums : {by_coordinate, by_set}) {
    if (!sums.any()) continue;
    HEARSAY_TRY(const double part, tails::chernoff_half_width(report_error(sums, query, reports), reports, share));
    half_width += part;
  }
  return SampledBounds{half_width, influence};
}

}  // namespace hearsay::estimator
