// The error of a linear combination Σ g_j·m̂_j of the means that a SampledView gives.
//
// A report r that drew group G and answered k adds φ_G(k) = Σ_{j∈G} g_j·γ_G·χ_j(k)/I_j to the estimate. I_j = Σ γ²·N
// makes the estimate unbiased: E[φ_G|x] = ψ_G(x) = Σ g_j·γ_G²·a_j(x)/I_j. Given how often each kind of group was drawn,
// records meet groups by a random permutation. By Hoeffding 1951 (the variance of Σ c(i, π(i)))
//   Var = Σ_r E_x Var[φ|x]  +  n/(n-1)·(Σ_r Var_x ψ - Var_x f/n).
// The two parts are called noise and sampling. With a group's N answers, their histogram h, S = Σ_k h(k)·φ(k)² and q =
// Σ_{j∈G} (g_j·γ/I_j)²:
//   noise = (1-γ)·(S + γ·N·q),  sampling = γ·(S - (1-γ)·N·q) - N·μ²,  μ = Σ_{j∈G} g_j·γ²·m_j/I_j.
// S = N·q + X, where X holds the products of two different coordinates. The diagonal N·q sums up over all groups to
//   noise Σ_j g_j²·(I_j - J_j)/I_j²,  sampling Σ_j g_j²·J_j·(1 - m_j²)/I_j²,  J_j = Σ γ⁴·N.
// For example, with all reports in one group and g = 1: (1/γ²-1)/N + (1-m²)·(1/N - 1/n)·n/(n-1).
//
// If a set T of M coordinates is normalised as a whole, a report's coordinate on T is random, besides x and k. The
// diagonal is the same with I_j = I_T. (The draw of j makes N_j random; its expectation N/M stands for it.) But only
// the sum over all reports on the same attributes has a fixed expectation. So N·μ² becomes N_B·μ_B² for all reports
// with the same attributes, where μ_B = Σ_T γ²·f_T/(M·I_T) and f_T = Σ_{j on T} g_j·m_j.
#pragma once

#include <span>

#include "aggregator/estimator/sampled/sampled_view.h"

namespace hearsay::estimator {

struct VarianceParts {
  double noise = 0;
  double sampling = 0;
};

// Returns what the coordinate of this slot adds for g² = 1, without block_sampling().
VarianceParts coordinate_variance(const SampledView& view, const CoordinateSet& set, std::size_t slot);

// Returns what the products of two coordinates of a pattern add. `g` has one number for each term of the pattern.
VarianceParts pattern_variance(const SampledView& view, const SampledView::Pattern& pattern, std::span<const double> g);

// Returns Σ_B N_B·μ_B². The arguments are f_T and Σ_{j on T} g_j² for each set of the view.
double block_sampling(const SampledView& view, std::span<const double> components, std::span<const double> norms);

// Returns the variance from its parts. `diagonal_noise` is Σ g_j²·(noise of coordinate j); the result is at least half
// of it. `population_variance` is Var_x f.
double total_variance(const VarianceParts& parts, double diagonal_noise, double population_variance, double reports);

}  // namespace hearsay::estimator
