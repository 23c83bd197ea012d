// The error of an estimate from a QuestionView.
//
// Symbols as in question_view.h. Given the number N of reports in every block, records meet reports by a random
// permutation, and each report draws its questions and its answer. With ψ(x) = E[φ|x] (Hoeffding 1951, as in
// aggregator/estimator/sampled/sampled_variance.h)
//   Var = Σ_B N·E_x Var[φ|x]  +  n/(n-1)·(Σ_B N·Var_x ψ - Var_x f/n)
//       = Σ_B N·(Var φ + Var_x ψ/(n-1))  -  Var_x f/(n-1),
// the first line's parts being noise and sampling, Var φ over records, questions and answers. The sample variance of φ
// in a block, of reports whose records are drawn without replacement, has the mean Var φ + Var_x ψ/(n-1). Of kind
// kSingle, N·D stands for Σφ². Where f is 0 or 1, Var_x f = ω(1-ω), and v(1-v) for the estimate v of ω has the mean
// ω(1-ω) - Var. So
//   (n-1)/n·(Σ_B N·(Σφ² - (Σφ)²/N)/(N-1)  -  v(1-v)/(n-1))
// is unbiased. v is not clamped to [0, 1]: that would make the standard errors of fractions near 0 and 1 too small.
//
// As ψ² <= γ²·E φ² over true answers, the noise is at least N·(1-γ)·D in every block, and N·(1-γ²)·D of kind kSingle:
// what is estimated below that is chance.
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

// The variance of an estimate, from what its blocks add.
class QuestionVariance {
 public:
  // `scale`: φ times this.
  void add(const BlockSums& block, double scale = 1);
  // `shown`: Var_x f as the estimate shows it, v(1-v), or 1-v² of a function that is -1 or 1.
  double total(double shown, double reports) const;

 private:
  double variance_ = 0;
  double certain_ = 0;
};

BlockSums sums_of(const QuestionView::Block& block);

}  // namespace hearsay::estimator
