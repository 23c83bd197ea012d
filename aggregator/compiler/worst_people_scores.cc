// Symbols: v = the scores; A = the matrix, outputs × records; f = Aᵀv, the mean score for each record; s = Aᵀv², the
// mean squared score for each record; π = a population. For people drawn from π, the variance of a report's score is
// the minimum over t of Σ π_x·q_x with q_x = s_x - 2t·f_x + t²; the minimum is at t = π·f. The variance is convex in v
// and concave in π. So min over v of the max over π equals max over π of the min over v. There is a worst population,
// and the best scores for this population are the result that the code looks for.
//
// Each step moves v towards the best scores for π, and then π towards the records of large q. v moves against the
// gradient of Σ_k (Aπ)_k·v_k². The gradient is taken in the metric of the uniform population, for which the decoder has
// solved the normal equations. The code removes the part of the move that would change Aᵀv, and then chooses the best
// length. Every v on the way has the right means, so the search may end after any step. The result is the best v on the
// way.

#include "aggregator/compiler/worst_people_scores.h"

#include <algorithm>
#include <utility>

#include "common/base/try.h"

namespace hearsay::compiler {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double at_centre(const VectorXd& moments, const VectorXd& function, double t) {
  return (moments - 2 * t * function).maxCoeff() + t * t;
}

class Descent {
 public:
  Descent(const StrategyDecoder& decoder, VectorXd function, VectorXd scores)
      : decoder_(decoder), function_(std::move(function)), scores_(std::move(scores)), best_(scores_) {
    moments_ = decoder_.second_moments(scores_);
    least_ = largest_variance(moments_, function_);
    // Starts with a population in which half of the people have values of f above the middle.
    const double middle = (function_.minCoeff() + function_.maxCoeff()) / 2;
    const ArrayXd above = (function_.array() > middle).cast<double>();
    people_ = 0.5 * above / above.sum() + 0.5 * (1 - above) / (1 - above).sum();
  }

  // Returns the gradient of the variance for the present population, in the metric of the uniform population.
  VectorXd gradient() {
    outputs_ = decoder_.outputs_of(people_.matrix());
    mean_ = people_.matrix().dot(function_);
    return (outputs_.array() * (scores_.array() - mean_) / decoder_.mean_probabilities().array()).matrix();
  }

  // `direction` is the part of the gradient that changes no means. If `direction` is only rounding, the scores are
  // already the best for the present population.
  void step(const VectorXd& gradient, const VectorXd& direction) {
    constexpr double kRounding = 1e-6;
    if (direction.norm() > kRounding * gradient.norm()) {
      const VectorXd weighted = outputs_.cwiseProduct(direction);
      scores_ -= weighted.dot((scores_.array() - mean_).matrix()) / weighted.dot(direction) * direction;
      moments_ = decoder_.second_moments(scores_);
      keep(scores_, moments_);
      // The population swings to and fro on the way. So the scores halfway between these scores and the best scores so
      // far are often better than both.
      const VectorXd between = (scores_ + best_) / 2;
      keep(between, decoder_.second_moments(between));
    }
    move_people();
  }

  const VectorXd& best() const { return best_; }

 private:
  void keep(const VectorXd& scores, const VectorXd& moments) {
    const double variance = largest_variance(moments, function_);
    if (!(variance < least_)) return;
    least_ = variance;
    best_ = scores;
  }

  void move_people() {
    // A larger kBoldness makes the search faster. With too large a kBoldness, the population swings to and fro.
    constexpr double kBoldness = 5;
    const ArrayXd squares = (moments_ - 2 * mean_ * function_).array() + mean_ * mean_;
    people_ *= (squares / squares.maxCoeff()).max(0).pow(kBoldness);
    people_ /= people_.sum();
  }

  const StrategyDecoder& decoder_;
  VectorXd function_;
  VectorXd scores_;
  VectorXd moments_;
  VectorXd best_;
  double least_;
  ArrayXd people_;
  VectorXd outputs_;
  double mean_ = 0;
};

}  // namespace

double largest_variance(const VectorXd& moments, const VectorXd& function) {
  // Golden section search for the minimum of a convex function. If the minimum is inexact, the result is slightly too
  // large.
  constexpr int kSteps = 60;
  constexpr double kGolden = 0.6180339887498949;
  double low = function.minCoeff();
  double high = function.maxCoeff();
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = at_centre(moments, function, left);
  double at_right = at_centre(moments, function, right);
  for (int i = 0; i < kSteps; ++i) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = at_centre(moments, function, left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = at_centre(moments, function, right);
    }
  }
  return std::min(at_left, at_right);
}

Result<VectorXd> worst_people_scores(const StrategyDecoder& decoder, const VectorXd& function) {
  HEARSAY_TRY(VectorXd scores, decoder.scores(function));
  // A constant function needs no reports.
  if (!(function.maxCoeff() > function.minCoeff())) return scores;
  Descent descent(decoder, function, std::move(scores));
  for (int step = 0; step < kWorstPeopleSteps; ++step) {
    const VectorXd gradient = descent.gradient();
    const Result<MatrixXd> biased = decoder.scores(decoder.means_of(gradient));
    if (!biased) break;  // only rounding can cause this error
    descent.step(gradient, gradient - *biased);
  }
  VectorXd best = descent.best();
  // Corrects the change of the means that the rounding of many steps has caused.
  const Result<MatrixXd> lost = decoder.scores(function - decoder.means_of(best));
  if (lost) best += *lost;
  return best;
}

Result<VectorXd> query_scores(const StrategyDecoder& decoder, const LinearQuery& query, const VectorXd& function) {
  if (query.best_for_worst_people) return worst_people_scores(decoder, function);
  HEARSAY_TRY(MatrixXd scores, decoder.scores(function));
  return VectorXd(scores.col(0));
}

}  // namespace hearsay::compiler
