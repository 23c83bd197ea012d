// The error of a linear combination Σ g_j·m̂_j of the means that a SampledView gives.
//
// A report r that drew group G and answered k adds φ_G(k) = Σ_{j∈G} g_j·γ_G·χ_j(k)/I_j to the estimate, so
// I_j = Σ γ²·N makes it unbiased: E[φ_G|x] = ψ_G(x) = Σ g_j·γ_G²·a_j(x)/I_j. Given who drew which kind of group how
// often, records meet groups by a random permutation, and (Hoeffding 1951, the variance of Σ c(i, π(i)))
//   Var = Σ_r E_x Var[φ|x]  +  n/(n-1)·(Σ_r Var_x ψ - Var_x f/n).
// The two parts are called noise and sampling. From a group's N answers with histogram h, S = Σ_k h(k)·φ(k)² and
// q = Σ_{j∈G} (g_j·γ/I_j)²:
//   noise = (1-γ)·(S + γ·N·q),  sampling = γ·(S - (1-γ)·N·q) - N·μ²,  μ = Σ_{j∈G} g_j·γ²·m_j/I_j.
// S = N·q + X, X its products of two different coordinates. What stands on the diagonal sums up over all groups to
//   noise Σ_j g_j²·(I_j - J_j)/I_j²,  sampling Σ_j g_j²·J_j·(1 - m_j²)/I_j²,  J_j = Σ γ⁴·N.
// With one group and all reports in it, g = 1: (1/γ²-1)/N + (1-m²)·(1/N - 1/n)·n/(n-1), the formula of the design.
//
// Where a set T of M coordinates is normalised as a whole, a report's coordinate on T is a random one, besides x and k.
// Its diagonal holds the same, with I_j = I_T (the draw of j makes N_j random, and its expectation N/M stands for it);
// but only what the reports on the same attributes have in common has a fixed expectation: N·μ² becomes N_B·μ_B² for
// all reports with the same attributes, μ_B = Σ_T γ²·f_T/(M·I_T), f_T = Σ_{j on T} g_j·m_j.
#pragma once

#include <span>

#include "aggregator/estimator/sampled/sampled_view.h"

namespace hearsay::estimator {

struct VarianceParts {
  double noise = 0;
  double sampling = 0;
};

// What the coordinate of this slot adds for g² = 1, without block_sampling().
VarianceParts coordinate_variance(const SampledView& view, const CoordinateSet& set, std::size_t slot);

// What a pattern adds besides: the products of two of its coordinates. `g` per term of the pattern.
VarianceParts pattern_variance(const SampledView& view, const SampledView::Pattern& pattern, std::span<const double> g);

// Σ_B N_B·μ_B². Per set of the view: f_T and Σ_{j on T} g_j².
double block_sampling(const SampledView& view, std::span<const double> components, std::span<const double> norms);

// The variance from its parts; `diagonal_noise` is Σ g_j²·(noise of coordinate j), of which at least half is certain.
// population_variance: Var_x f.
double total_variance(const VarianceParts& parts, double diagonal_noise, double population_variance, double reports);

}  // namespace hearsay::estimator
