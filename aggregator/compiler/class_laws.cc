#include "aggregator/compiler/class_laws.h"

#include <algorithm>
#include <numeric>

namespace hearsay::compiler {

std::vector<double> coordinate_means(AttributeKind kind, std::span<const double> law) {
  switch (kind) {
    case AttributeKind::kBoolean:
      return {2 * law[1] - 1};
    case AttributeKind::kCategorical: {
      std::vector<double> means;
      for (const double p : law) means.push_back(2 * p - 1);
      return means;
    }
    case AttributeKind::kRange:
      break;
  }
  std::vector<double> means(law.size() - 1);
  long double tail = 0;  // Pr[value > t]
  for (std::size_t t = means.size(); t-- > 0;) {
    tail += law[t + 1];
    means[t] = static_cast<double>(2 * tail - 1);
  }
  return means;
}

std::vector<double> value_scores(AttributeKind kind, std::span<const double> weights) {
  if (kind == AttributeKind::kBoolean) return {-weights[0], weights[0]};
  // `score` is that of a block whose coordinates are all -1. A coordinate that is +1 adds twice its weight.
  long double score = -std::accumulate(weights.begin(), weights.end(), 0.0L);
  std::vector<double> scores;
  if (kind == AttributeKind::kCategorical) {
    for (const double weight : weights) scores.push_back(static_cast<double>(score + 2 * weight));
    return scores;
  }
  scores.push_back(static_cast<double>(score));
  for (const double weight : weights) {
    score += 2 * weight;
    scores.push_back(static_cast<double>(score));
  }
  return scores;
}

ScoreAverages::ScoreAverages(std::span<const double> scores) : sum_(1), sum_of_squares_(1) {
  centre_ = std::accumulate(scores.begin(), scores.end(), 0.0L) / static_cast<long double>(scores.size());
  for (const double score : scores) {
    const long double centred = score - centre_;
    sum_.push_back(sum_.back() + centred);
    sum_of_squares_.push_back(sum_of_squares_.back() + centred * centred);
  }
}

ScoreAverages::Average ScoreAverages::over(const ValueSet& values) const {
  long double sum = 0;
  long double squares = 0;
  std::size_t count = 0;
  for (const auto& [first, last] : values) {
    sum += sum_[last + 1] - sum_[first];
    squares += sum_of_squares_[last + 1] - sum_of_squares_[first];
    count += last + 1 - first;
  }
  if (count == 1) return {sum + centre_, 0};
  const auto size = static_cast<long double>(count);
  const long double mean = sum / size;
  return {mean + centre_, std::max(0.0L, squares / size - mean * mean)};
}

}  // namespace hearsay::compiler
