// The error of an estimate from a QuestionView.
//
// Symbols as in question_view.h. Given the number N of reports in every block, records meet reports by a random
// permutation, and each report draws its questions and its answer. With ψ(x) = E[φ|x] (Hoeffding 1951, as in
// aggregator/estimator/sampled/sampled_variance.h)
//   Var = Σ_B N·E_x Var[φ|x]  +  n/(n-1)·(Σ_B N·Var_x ψ - Var_x f/n)
//       = Σ_B N·(Var φ + Var_x ψ/(n-1))  -  Var_x f/(n-1),
// The two parts of the first line are noise and sampling. Var φ is over records, questions and answers. The reports of
// a block have records drawn without replacement, so the sample variance of their φ has the mean Var φ + Var_x ψ/(n-1).
// For kind kSingle, N·D stands for Σφ². If f is 0 or 1, Var_x f = ω(1-ω); and v(1-v), for the estimate v of ω, has the
// mean ω(1-ω) - Var. So
//   (n-1)/n·(Σ_B N·(Σφ² - (Σφ)²/N)/(N-1)  -  v(1-v)/(n-1))
// is unbiased. v is not clamped to [0, 1], since that would make the standard errors of fractions near 0 and 1 too
// small.
//
// As ψ² <= γ²·E φ² over true answers, the noise is at least N·(1-γ)·D in every block, and N·(1-γ²)·D for kind kSingle.
// An estimate below this is raised to it.
#pragma once

#include "aggregator/estimator/questions/question_view.h"

namespace hearsay::estimator {

// Sums over the reports of a block.
struct BlockSums {
  double reports;
  double sum;       // Σφ
  double squares;   // Σφ²; not used of kind kSingle
  double diagonal;  // D
  double gamma;
  bool single;
};

// Adds up the variance of an estimate from its blocks.
class QuestionVariance {
 public:
  // Adds a block whose φ is multiplied by `scale`.
  void add(const BlockSums& block, double scale = 1);
  // Returns the variance. `shown` is Var_x f as the estimate shows it: v(1-v) for a query, 1-v² for a function that is
  // -1 or 1.
  double total(double shown, double reports) const;

 private:
  double variance_ = 0;
  double certain_ = 0;
};

BlockSums sums_of(const QuestionView::Block& block);

}  // namespace hearsay::estimator
