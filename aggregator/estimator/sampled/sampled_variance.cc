// Symbols are as in sampled_variance.h. The square of an estimated mean has the bias Var m̂; coordinate_variance()
// corrects this bias. The code does not correct the bias of products of two different means, which is 1/N of the
// products' share of the variance.

#include "aggregator/estimator/sampled/sampled_variance.h"

#include <algorithm>
#include <numeric>

namespace hearsay::estimator {
namespace {

// Returns an estimate of m_j², corrected for bias: E m̂² = m² + Var m̂ with Var m̂ = 1/I - m²·J/I². Returns 0 for a
// single report, which says nothing about m².
double squared_mean(const SampledView& view, std::size_t slot) {
  const double information = view.information(slot);
  const double share = view.fourth(slot) / (information * information);
  if (share > 1 - 1e-9) return 0;
  const double mean = view.mean(slot);
  return (mean * mean - 1 / information) / (1 - share);
}

}  // namespace

VarianceParts coordinate_variance(const SampledView& view, const CoordinateSet& set, std::size_t slot) {
  const double information = view.information(slot);
  const double fourth = view.fourth(slot);
  const double scale = 1 / (information * information);
  const double square = set.by_coordinate ? squared_mean(view, slot) : 0;
  return {(information - fourth) * scale, fourth * (1 - square) * scale};
}

VarianceParts pattern_variance(const SampledView& view, const SampledView::Pattern& pattern,
                               std::span<const double> g) {
  const std::vector<SampledView::Term>& terms = pattern.terms;
  const double gamma = pattern.gamma;
  std::vector<std::uint32_t> masks;
  std::vector<double> coefficients;
  std::vector<std::uint32_t> free_masks;  // masks of the sets that are normalised as a whole
  std::vector<double> free_coefficients;
  double diagonal = 0;  // q
  double mean = 0;      // μ, of the sets that are normalised by coordinate
  double mean_diagonal = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (g[i] == 0) continue;
    const double coefficient = g[i] * gamma / view.information(terms[i].slot);
    masks.push_back(terms[i].mask);
    coefficients.push_back(coefficient);
    diagonal += coefficient * coefficient;
    if (!view.sets()[terms[i].set].by_coordinate) {
      free_masks.push_back(terms[i].mask);
      free_coefficients.push_back(coefficient);
      continue;
    }
    const double part = coefficient * gamma * view.mean(terms[i].slot);
    mean += part;
    mean_diagonal += part * part;
  }
  if (masks.size() < 2) return {};
  const std::vector<double> phi = character_sums(masks, coefficients, pattern.answers, pattern.width);
  double squares = 0;
  for (std::size_t k = 0; k < phi.size(); ++k) squares += pattern.counts[k] * phi[k] * phi[k];
  const double products = squares - pattern.reports * diagonal;
  double means = pattern.reports * (mean * mean - mean_diagonal);
  // Adds 2·μ·φ over the answers: μ from the sets normalised by coordinate, φ from the sets normalised as a whole.
  if (mean != 0 && !free_masks.empty()) {
    const auto sums = character_sums(pattern.answers, pattern.counts, free_masks, pattern.width);
    means += 2 * mean * std::inner_product(sums.begin(), sums.end(), free_coefficients.begin(), 0.0);
  }
  return {(1 - gamma) * products, gamma * products - means};
}

// Corrects the bias of μ_B². Apart from covariances, this bias is Σ_T (γ²/(M·I_T))²·Var f̂_T, where f̂_T is the
// estimate of f_T. Var f̂_T = (Σ_{j on T} g_j²)/I_T - κ·f_T², with κ as in CoordinateSet.
double block_sampling(const SampledView& view, std::span<const double> components, std::span<const double> norms) {
  double sum = 0;
  for (const SampledView::Block& block : view.blocks()) {
    double mean = 0;
    double bias = 0;
    for (const std::uint32_t s : block.sets) {
      const CoordinateSet& set = view.sets()[s];
      const double information = view.information(set.slot);
      const double factor = block.gamma * block.gamma / (static_cast<double>(set.size) * information);
      const double square = components[s] * components[s];
      const double variance =
          set.kappa > 1 - 1e-9 ? square : (norms[s] / information - set.kappa * square) / (1 - set.kappa);
      mean += factor * components[s];
      bias += factor * factor * variance;
    }
    sum += block.reports * (mean * mean - bias);
  }
  return sum;
}

// The noise is at least Σ (1-γ)·N·q, which is more than half of the noise's diagonal, Σ (1-γ²)·N·q. So half of the
// diagonal takes the place of a smaller estimate.
double total_variance(const VarianceParts& parts, double diagonal_noise, double population_variance, double reports) {
  const double noise = std::max(parts.noise, diagonal_noise / 2);
  const double correction = reports > 1 ? reports / (reports - 1) : 1;
  return noise + std::max(0.0, correction * (parts.sampling - population_variance / reports));
}

}  // namespace hearsay::estimator
