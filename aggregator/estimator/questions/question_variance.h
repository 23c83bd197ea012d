// The variance of an estimate from a QuestionView.
//
// Symbols are as in question_view.h. Given the number N of reports in every block B, a random permutation assigns the n
// records to the reports, and each report draws its questions and its answer. With ψ(x) = E[φ|x] and the query f, the
// variance is (Hoeffding 1951, as in aggregator/estimator/sampled/sampled_variance.h)
//   Var = Σ_B N·E_x Var[φ|x]  +  n/(n-1)·(Σ_B N·Var_x ψ - Var_x f/n)
//       = Σ_B N·(Var φ + Var_x ψ/(n-1))  -  Var_x f/(n-1).
// The two parts of the first line are noise and sampling. Var φ is over records, questions and answers. The records of
// a block are drawn without replacement. So the sample variance of φ in a block has the mean Var φ + Var_x ψ/(n-1). For
// kind kSingle, N·D takes the place of Σφ². If f is 0 or 1, Var_x f = ω(1-ω). For the estimate v of ω, the number
// v(1-v) has the mean ω(1-ω) - Var. So
//   (n-1)/n·(Σ_B N·(Σφ² - (Σφ)²/N)/(N-1)  -  v(1-v)/(n-1))
// is an unbiased estimate of Var. Clamping v to [0, 1] would make the standard errors of fractions near 0 and 1 too
// small, so v is not clamped.
//
// Since ψ² <= γ²·E φ² over true answers, the noise of every block is at least N·(1-γ)·D, and N·(1-γ²)·D for kind
// kSingle. An estimate below the sum of these numbers is raised to it.
#pragma once

#include "aggregator/estimator/questions/question_view.h"

namespace hearsay::estimator {

// Sums over the reports of a block.
struct BlockSums {
  double reports;
  double sum;       // Σφ
  double squares;   // Σφ²; not used for kind kSingle
  double diagonal;  // D, see question_view.h
  double gamma;
  bool single;
};

// Adds up the variance of an estimate from its blocks.
class QuestionVariance {
 public:
  // Adds a block whose φ is multiplied by `scale`.
  void add(const BlockSums& block, double scale = 1);
  // Returns the variance. `shown` is Var_x f computed from the estimate v: v(1-v) for a query, 1-v² for a function with
  // the values -1 and 1.
  double total(double shown, double reports) const;

 private:
  double variance_ = 0;
  double certain_ = 0;
};

BlockSums sums_of(const QuestionView::Block& block);

}  // namespace hearsay::estimator
