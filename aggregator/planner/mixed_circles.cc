// Symbols: J = values, N = 2J places, M = Σ_j w_j·M_j the matrix of the questions (compiler/question_law.h). R is the
// inverse of M on the functions whose mean is free, so the energy of g is g'·R·g. Cut a, from 0 to J, is the function
// [x < a]. Ranges are differences of two cuts, and prefixes are cuts. λ = weights of the functions in the Lagrangian F.

#include "aggregator/planner/mixed_circles.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace hearsay::planner {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

class MixedSearch {
 public:
  MixedSearch(std::uint32_t values, const MixedClasses& classes)
      : values_(values), mean_weight_(classes.mean), kernels_(values, values) {
    for (Eigen::Index j = 0; j < values_; ++j) {
      for (Eigen::Index d = 0; d < values_; ++d) {
        const Eigen::Index place = (j + 1) * d % (2 * values_);
        const auto apart = static_cast<double>(std::min(place, 2 * values_ - place));
        kernels_(j, d) = 1 - 2 * apart / static_cast<double>(values_);
      }
    }
    class_weights_ = Matrix::Constant(values_ + 1, values_ + 1, classes.ranges);
    for (Eigen::Index cut = 0; cut <= values_; ++cut) {
      for (const Eigen::Index end : {Eigen::Index{0}, values_}) {
        class_weights_(end, cut) = class_weights_(cut, end) = std::max(classes.ranges, classes.prefixes);
      }
    }
    class_weights_.diagonal().setZero();
    class_weights_(0, values_) = class_weights_(values_, 0) = 0;
    span_ = Vector::LinSpaced(values_, 0, 1);
  }

  void run(const Vector& start, int most_steps) {
    constexpr double kCloseEnough = 8e-3;
    weights_ = start / start.sum();
    spread_lambda();
    for (int step = 0; step < most_steps && worst_ > lower_ * (1 + kCloseEnough); ++step) {
      solve();
      const double largest = std::max(variances_.maxCoeff(), mean_variance_);
      if (largest < worst_) {
        worst_ = largest;
        best_ = weights_;
      }
      // The Lagrangian's weights λ have each range twice, as [a, b) and as [b, a). So the code halves the sum.
      const double value = lambda_.cwiseProduct(variances_).sum() / 2 + mean_lambda_ * mean_variance_;
      const Vector slopes = gradient();
      // F is convex and homogeneous of degree -1 in the weights.
      lower_ = std::max(lower_, value * value / slopes.maxCoeff());
      weights_.array() *= (slopes / value).array().max(0.0).sqrt();
      weights_ = (weights_ / weights_.sum()).cwiseMax(1e-12);
      const double pace = 2 / (1 + 0.02 * step);
      lambda_.array() *= (variances_ / largest).array().max(0.0).pow(pace);
      mean_lambda_ *= std::pow(mean_variance_ / largest, pace);
      normalise_lambda();
    }
  }

  const Vector& best() const { return best_; }
  MixedCircle result() const { return {questions(), worst_, lower_}; }

 private:
  void spread_lambda() {
    lambda_ = (class_weights_.array() > 0).cast<double>();
    mean_lambda_ = mean_weight_ > 0 ? 1 : 0;
    normalise_lambda();
  }
  void normalise_lambda() {
    const double sum = lambda_.sum() / 2 + mean_lambda_;
    lambda_ /= sum;
    mean_lambda_ /= sum;
  }

  // Computes R times the cuts, R times the span, and the variances (symbols: top of file).
  void solve() {
    const Vector kernel = kernels_.transpose() * weights_;
    Matrix law(values_, values_);
    for (Eigen::Index x = 0; x < values_; ++x) {
      for (Eigen::Index y = 0; y < values_; ++y) law(x, y) = kernel[std::abs(x - y)];
    }
    Matrix inverse = law.llt().solve(Matrix::Identity(values_, values_));
    const Vector ones = inverse.rowwise().sum();
    inverse -= ones * ones.transpose() / ones.sum();
    up_to_ = Matrix::Zero(values_, values_ + 1);
    for (Eigen::Index cut = 1; cut <= values_; ++cut) up_to_.col(cut) = up_to_.col(cut - 1) + inverse.col(cut - 1);
    Matrix both = Matrix::Zero(values_ + 1, values_ + 1);
    for (Eigen::Index cut = 1; cut <= values_; ++cut) both.row(cut) = both.row(cut - 1) + up_to_.row(cut - 1);
    const Vector own = both.diagonal();
    variances_ = own.replicate(1, values_ + 1) + own.transpose().replicate(values_ + 1, 1) - 2 * both;
    variances_ = variances_.cwiseProduct(class_weights_);
    of_mean_ = inverse * span_;
    mean_variance_ = mean_weight_ * span_.dot(of_mean_);
  }

  // Computes -∂F/∂w_j = Σ λ·h'·M_j·h, with h = R·g (symbols: top of file). M_j is constant along its diagonals.
  Vector gradient() const {
    const Matrix pull = lambda_.cwiseProduct(class_weights_);
    Matrix laplacian = -pull;
    laplacian.diagonal() += pull.rowwise().sum();
    Matrix products = up_to_ * laplacian * up_to_.transpose();
    products += mean_lambda_ * mean_weight_ * of_mean_ * of_mean_.transpose();
    Vector sums(values_);
    for (Eigen::Index d = 0; d < values_; ++d) sums[d] = (d == 0 ? 1 : 2) * products.diagonal(d).sum();
    return kernels_ * sums;
  }

  CircleQuestions questions() const {
    constexpr double kTotal = 1U << 24U;
    CircleQuestions circle{static_cast<std::uint32_t>(2 * values_), 1, {}, {}};
    for (Eigen::Index j = 0; j < values_; ++j) {
      const long weight = std::lround(best_[j] * kTotal);
      if (weight == 0) continue;
      circle.multipliers.push_back(static_cast<std::uint32_t>(j + 1));
      circle.weights.push_back(static_cast<std::uint32_t>(weight));
    }
    return circle;
  }

  Eigen::Index values_;
  double mean_weight_;
  Matrix kernels_;        // M_j[x, y], in row j - 1 and column |x - y|
  Matrix class_weights_;  // at two cuts: the weight of the range between the cuts
  Vector span_;           // the values on a scale from 0 to 1
  Vector weights_;
  Vector best_;
  double worst_ = std::numeric_limits<double>::infinity();  // the largest variance for best_
  double lower_ = 0;
  Matrix lambda_;
  double mean_lambda_ = 0;
  Matrix up_to_;  // R times the cuts
  Matrix variances_;
  Vector of_mean_;  // R times the span
  double mean_variance_ = 0;
};

// Returns starting weights for a larger number of values. Keeps the weights of the present multipliers, and adds higher
// multipliers for finer structure. Among multipliers of the same parity, w_j falls about as 1/j.
Vector extended(const Vector& weights, Eigen::Index values) {
  const Eigen::Index known = weights.size();
  std::array<double, 2> scale{};
  std::array<double, 2> count{};
  for (Eigen::Index j = known / 2 + 1; j <= known; ++j) {
    const auto odd = static_cast<std::size_t>(j % 2);
    scale[odd] += weights[j - 1] * static_cast<double>(j);
    ++count[odd];
  }
  Vector longer(values);
  longer.head(known) = weights;
  for (Eigen::Index j = known + 1; j <= values; ++j) {
    const auto odd = static_cast<std::size_t>(j % 2);
    longer[j - 1] = scale[odd] / count[odd] / static_cast<double>(j);
  }
  return longer;
}

// Returns nothing if the workload has other classes than ranges, prefixes and means.
std::optional<MixedClasses> classes_of(const Workload& workload) {
  MixedClasses classes;
  for (const Mixture::Part& part : parts_of(workload)) {
    const auto* boxes = std::get_if<Boxes>(&part.workload);
    double* weight = nullptr;
    if (std::holds_alternative<Ranges>(part.workload) || (boxes != nullptr && boxes->ranges == 1)) {
      weight = &classes.ranges;
    } else if (std::holds_alternative<Prefixes>(part.workload)) {
      weight = &classes.prefixes;
    } else if (std::holds_alternative<Means>(part.workload)) {
      weight = &classes.mean;
    } else {
      return std::nullopt;
    }
    *weight = std::max(*weight, part.weight);
  }
  return classes;
}

}  // namespace

MixedCircle plan_mixed_circle(std::uint32_t values, const MixedClasses& classes) {
  constexpr std::uint32_t kMostSearched = 96;
  constexpr double kMostSteps = 600;
  const std::uint32_t searched = std::min(values, kMostSearched);
  MixedSearch search(searched, classes);
  search.run(Vector::LinSpaced(searched, 1, searched).cwiseInverse(), kMostSteps);
  if (searched == values) return search.result();
  MixedSearch finer(values, classes);
  const double steps = kMostSteps * std::pow(static_cast<double>(searched) / values, 3);
  finer.run(extended(search.best(), values), std::max(1, static_cast<int>(steps)));
  return finer.result();
}

std::optional<SampledSpec> mixed_circles(const Schema& schema, const Workload& workload) {
  constexpr double kScale = 1U << 20U;
  const std::optional<MixedClasses> classes = classes_of(workload);
  if (!classes || classes->prefixes + classes->mean == 0) return std::nullopt;
  SampledSpec spec;
  spec.questions.assign(schema.size(), ParityQuestions{});
  std::map<std::uint32_t, MixedCircle> circles;
  std::vector<double> variances;
  for (const std::uint32_t attribute : integer_ranges(schema)) {
    const std::uint32_t values = schema[attribute].size();
    if (values < 3 || values > kMostMixedValues) return std::nullopt;
    auto circle = circles.find(values);
    if (circle == circles.end()) circle = circles.emplace(values, plan_mixed_circle(values, *classes)).first;
    spec.questions[attribute] = circle->second.questions;
    variances.push_back(circle->second.worst);
    spec.groups.push_back({.kind = GroupKind::kSingle, .size = 1, .weight = 1, .attributes = {attribute}});
  }
  if (spec.groups.empty()) return std::nullopt;
  // If a question is asked with probability s, its variance grows by the factor 1/s.
  const double largest = *std::max_element(variances.begin(), variances.end());
  for (std::size_t g = 0; g < spec.groups.size(); ++g) {
    spec.groups[g].weight = static_cast<std::uint32_t>(std::ceil(kScale * variances[g] / largest));
  }
  return spec;
}

}  // namespace hearsay::planner
