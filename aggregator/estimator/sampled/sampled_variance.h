// The variance of a linear combination Σ_j g_j·m̂_j of the means that a SampledView gives.
//
// Let N_G be the number of reports that drew group G, γ_G the group's probability of a true answer, and χ_j(k) = ±1 the
// coordinate j that answer k shows. A report r that drew G and answered k adds φ_G(k) = Σ_{j∈G} g_j·γ_G·χ_j(k)/I_j to
// the estimate, where I_j = Σ_G γ_G²·N_G. The estimate is unbiased, since E[φ_G|x] = ψ_G(x) = Σ_{j∈G}
// g_j·γ_G²·a_j(x)/I_j. Given how often each group was drawn, a random permutation assigns the n records x to the draws.
// By Hoeffding 1951 (the variance of Σ c(i, π(i)))
//   Var = Σ_r E_x Var[φ|x]  +  n/(n-1)·(Σ_r Var_x ψ - Var_x f/n),
// where f is the query. The first part is called noise, the second sampling. A group with N answers and their
// histogram h contributes, with S = Σ_k h(k)·φ(k)² and q = Σ_{j∈G} (g_j·γ/I_j)²:
//   noise = (1-γ)·(S + γ·N·q),  sampling = γ·(S - (1-γ)·N·q) - N·μ²,  μ = Σ_{j∈G} g_j·γ²·m_j/I_j.
// S = N·q + X, where X contains the products of two different coordinates. The *diagonal* N·q contributes, over all
// groups,
//   noise Σ_j g_j²·(I_j - J_j)/I_j²,  sampling Σ_j g_j²·J_j·(1 - m_j²)/I_j²,  J_j = Σ γ⁴·N.
// For example, if one group alone covers the coordinate, and g = 1: (1/γ²-1)/N + (1-m²)·(1/N - 1/n)·n/(n-1).
//
// The M coordinates on a set T of attributes may be normalised as a whole. Then every such coordinate has I_j = I_T,
// where M·I_T is the information of all reports about T. The number N_j of reports about coordinate j is random then.
// If N reports are about T, the expectation N/M takes the place of N_j. The diagonal does not change. Only the sum over
// a block B, all reports on the same attributes, has a fixed expectation. So N_B·μ_B² takes the place of N·μ², where
// μ_B = Σ_T γ²·f_T/(M·I_T) and f_T = Σ_{j on T} g_j·m_j.
#pragma once

#include <span>

#include "aggregator/estimator/sampled/sampled_view.h"

namespace hearsay::estimator {

struct VarianceParts {
  double noise = 0;
  double sampling = 0;
};

// Returns the diagonal's parts for the coordinate of this slot, with g = 1. Does not include block_sampling().
VarianceParts coordinate_variance(const SampledView& view, const CoordinateSet& set, std::size_t slot);

// Returns the parts from products of two different coordinates of a pattern. `g` has one number for each term of the
// pattern.
VarianceParts pattern_variance(const SampledView& view, const SampledView::Pattern& pattern, std::span<const double> g);

// Returns Σ_B N_B·μ_B². `components` are f_T, and `norms` are Σ_{j on T} g_j², for each set of the view.
double block_sampling(const SampledView& view, std::span<const double> components, std::span<const double> norms);

// Returns the variance from its parts. `diagonal_noise` is Σ_j g_j²·(noise of coordinate j). The result is at least
// half of `diagonal_noise`. `population_variance` is Var_x f.
double total_variance(const VarianceParts& parts, double diagonal_noise, double population_variance, double reports);

}  // namespace hearsay::estimator
