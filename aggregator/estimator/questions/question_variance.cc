#include "aggregator/estimator/questions/question_variance.h"

#include <algorithm>

namespace hearsay::estimator {

void QuestionVariance::add(const BlockSums& block, double scale) {
  const double n = block.reports;
  const double squares = block.single ? n * block.diagonal : block.squares;
  const double variance = n > 1 ? n / (n - 1) * (squares - block.sum * block.sum / n) : squares;
  variance_ += scale * scale * variance;
  const double least = block.single ? 1 - block.gamma * block.gamma : 1 - block.gamma;
  certain_ += scale * scale * n * least * block.diagonal;
}

double QuestionVariance::total(double shown, double reports) const {
  if (!(reports > 1)) return std::max(certain_, variance_);
  return std::max(certain_, (reports - 1) / reports * (variance_ - shown / (reports - 1)));
}

BlockSums sums_of(const QuestionView::Block& block) {
  return {block.reports, block.sum, block.squares, block.diagonal, block.gamma, block.single};
}

}  // namespace hearsay::estimator
