// The closed-form bounds of Aldà and Simon 2014 as printed.
#pragma once

#include <cmath>

#include "aggregator/tails/paper.h"

namespace hearsay::tests {

// Returns the bound of Theorem 6 on Pr[Σ_i Σ_j v_ij Y_ij >= deviation] for `reports` unit vectors v_i and independent
// noise of scale `scale`. With δ = deviation, n = reports and λ = scale, the bound is exp(-δ²/(8nλ²)) up to δ = √8·λn.
// For larger δ the bound is e^-n, as the remark after the theorem says.
inline double theorem6_tail(double deviation, double scale, double reports) {
  if (deviation <= 0) return 1;
  if (deviation >= std::sqrt(8.0) * scale * reports) return std::exp(-reports);
  const double ratio = deviation / scale;
  return std::exp(-ratio * ratio / (8 * reports));
}

// Returns the number n of users by equation (20), at the scale λ: n = 8λ²/(α²γ̃²)·ln(2/β), rounded up. At λ = 2√d/ε
// this is 32d/(α²ε²γ̃²)·ln(2/β).
inline double equation20_users(const tails::PaperScheme& scheme, double alpha, double beta) {
  const double ratio = scheme.scale / (alpha * scheme.margin);
  return std::ceil(8 * ratio * ratio * std::log(2 / beta));
}

}  // namespace hearsay::tests
