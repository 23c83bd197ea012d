// Symbols: E = e^ε; b_k = 1 + (E-1)·[x ∈ S_k], row k of B; w_k its weight, so that A = diag(w)·B and Bᵀw = 1; M
// records, uniform; d_k the mean of b_k; I = Σ w_k·b_k·b_kᵀ/d_k; G = Σ u_i·f_i·f_iᵀ over the workload's queries.
//
// The objective is F(w) = tr(G·I⁻¹) = min over V with VᵀA = fᵀ of the queries' mean second moments (McKenna et al.
// 2020, Theorem 3.10). It is convex in w, and equal to min Σ d_k·|r_k|²/w_k over r with Σ_k r_k·b_kᵀ = fᵀ (r_k =
// w_k·V_k).
//
// Weights: given the best r, Σ c_k/w_k with c_k = d_k·|r_k|² is least under Bᵀw = 1 for w_k = √(c_k/(λ·b_k)), λ the
// multipliers, the maximum of the concave 2·Σ√(c_k·λ·b_k) - Σλ. Alternating the two never raises F (a majorisation, as
// in the multiplicative algorithm for optimal designs), and needs no step size.
//
// Sets: for the best weights, b_kᵀQb_k/d_k = λ·b_k with Q = I⁻¹GI⁻¹. A set with a larger left side is worth adding. The
// search adds or removes records of the present sets one by one, as long as the difference rises.
//
// The worst query: u is multiplied by the queries' variances again and again, so that the dearest queries count more.

#include "aggregator/planner/strategy_optimiser.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace hearsay::planner {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RecordSet = std::vector<bool>;

constexpr int kStepsPerRound = 15;
constexpr int kStepsPerQueryWeights = 5;
// The part of the outputs that a round keeps, so that there is room for new ones.
constexpr double kKept = 0.6;
constexpr double kNegligible = 1e-5;  // of the largest weight
constexpr double kWorthAdding = 1e-4;
constexpr double kConverged = 1e-6;  // a round that gains less is the last, if no set is worth adding

class StrategyDescent {
 public:
  StrategyDescent(const ExplicitWorkload& workload, const StrategyOptions& options)
      : options_(options),
        factor_(std::exp(options.epsilon)),
        records_(workload.functions.rows()),
        functions_(workload.functions),
        query_weights_(VectorXd::Ones(functions_.cols())) {
    for (Index i = 0; i < functions_.cols(); ++i) {
      functions_.col(i) *= std::sqrt(workload.weights[static_cast<std::size_t>(i)]);
    }
    if (options.objective == StrategyObjective::kWorstQuery) query_weights_ /= static_cast<double>(functions_.cols());
    set_gram();
  }

  void add(const RecordSet& set, double weight) {
    if (!known_.insert(set).second) return;
    sets_.push_back(set);
    start_.push_back(weight);
  }

  StrategySets run() {
    StrategySets best;
    double least = std::numeric_limits<double>::infinity();
    double previous = least;
    for (int round = 0;; ++round) {
      begin_round();
      for (int step = 0; step < kStepsPerRound; ++step) {
        if (round > 0 || step > 0) weigh_queries(step);
        descend();
      }
      inform();
      const double now = objective();
      StrategySets strategy{sets_, {weights_.data(), weights_.data() + weights_.size()}};
      if (options_.progress) options_.progress(round, strategy);
      if (sets_.size() <= options_.most_outputs && now < least) {
        least = now;
        best = std::move(strategy);
      }
      if (round + 1 >= options_.rounds && std::isfinite(least)) return best;
      if (options_.stop.stop_requested() && std::isfinite(least)) return best;
      const bool last = round + 2 >= options_.rounds;
      prune(last ? options_.most_outputs : static_cast<std::size_t>(kKept * options_.most_outputs));
      const bool added = !last && add_better_sets();
      if (!last && !added && now > previous * (1 - kConverged) && std::isfinite(least)) return best;
      previous = now;
    }
  }

 private:
  void begin_round() {
    rows_.resize(static_cast<Index>(sets_.size()), records_);
    for (std::size_t k = 0; k < sets_.size(); ++k) rows_.row(static_cast<Index>(k)) = row_of(sets_[k]).transpose();
    weights_ = Eigen::Map<const VectorXd>(start_.data(), static_cast<Index>(start_.size()));
    means_ = rows_.rowwise().mean();
    if (multipliers_.size() == 0) multipliers_ = VectorXd::Ones(records_);
  }

  VectorXd row_of(const RecordSet& set) const {
    VectorXd row(records_);
    for (Index x = 0; x < records_; ++x) row[x] = set[static_cast<std::size_t>(x)] ? factor_ : 1;
    return row;
  }

  void set_gram() { gram_ = functions_ * query_weights_.asDiagonal() * functions_.transpose(); }

  // Computes I⁻¹, Q and the left sides b_kᵀQb_k/d_k.
  void inform() {
    constexpr double kRidge = 1e-10;
    const MatrixXd scaled = weights_.cwiseQuotient(means_).cwiseSqrt().asDiagonal() * rows_;
    MatrixXd information = MatrixXd::Zero(records_, records_);
    information.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    information.diagonal().array() += kRidge * information.trace() / static_cast<double>(records_);
    const Eigen::LLT<MatrixXd> factors(information.selfadjointView<Eigen::Lower>());
    inverse_ = factors.solve(MatrixXd::Identity(records_, records_));
    prices_ = inverse_ * gram_ * inverse_;
    gains_ = (rows_ * prices_).cwiseProduct(rows_).rowwise().sum().cwiseQuotient(means_);
  }

  double objective() const {
    if (options_.objective == StrategyObjective::kTotal) return inverse_.cwiseProduct(gram_).sum();
    return variances().maxCoeff();
  }

  VectorXd variances() const {
    const VectorXd moments = (inverse_ * functions_).cwiseProduct(functions_).colwise().sum().transpose();
    return moments - functions_.colwise().mean().transpose().cwiseAbs2();
  }

  void weigh_queries(int step) {
    if (options_.objective != StrategyObjective::kWorstQuery || step % kStepsPerQueryWeights != 0) return;
    const VectorXd now = variances().cwiseMax(1e-12);
    query_weights_ = query_weights_.cwiseProduct(now);
    query_weights_ /= query_weights_.sum();
    set_gram();
  }

  void descend() {
    inform();
    const VectorXd costs = weights_.cwiseAbs2().cwiseProduct(gains_);
    find_multipliers(costs);
    constexpr double kLeast = 1e-15;
    weights_ = costs.cwiseQuotient(rows_ * multipliers_).cwiseSqrt().cwiseMax(kLeast);
  }

  // Newton's method on the domain λ·b_k > 0.
  void find_multipliers(const VectorXd& costs) {
    constexpr int kSteps = 40;
    constexpr double kPrecise = 1e-12;
    if ((rows_ * multipliers_).minCoeff() <= 0) {
      multipliers_.setConstant(inverse_.cwiseProduct(gram_).sum() / static_cast<double>(records_));
    }
    for (int step = 0; step < kSteps; ++step) {
      const VectorXd products = rows_ * multipliers_;
      const VectorXd weights = costs.cwiseQuotient(products).cwiseSqrt();
      const VectorXd gradient = rows_.transpose() * weights - VectorXd::Ones(records_);
      if (gradient.cwiseAbs().maxCoeff() < kPrecise) return;
      const MatrixXd scaled = (0.5 * weights.cwiseQuotient(products)).cwiseSqrt().asDiagonal() * rows_;
      MatrixXd curvature = MatrixXd::Zero(records_, records_);
      curvature.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
      curvature.diagonal().array() += kPrecise * curvature.diagonal().maxCoeff();
      const VectorXd direction = Eigen::LLT<MatrixXd>(curvature.selfadjointView<Eigen::Lower>()).solve(gradient);
      const VectorXd change = rows_ * direction;
      double length = 1;
      while ((products + length * change).cwiseQuotient(products).minCoeff() <= 0.1) length /= 2;
      multipliers_ += length * direction;
    }
  }

  // Keeps the sets of largest weight.
  void prune(std::size_t most) {
    std::vector<std::size_t> order(sets_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto weight = [this](std::size_t k) { return weights_[static_cast<Index>(k)]; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    const double least = kNegligible * weights_.maxCoeff();
    std::vector<RecordSet> kept;
    start_.clear();
    for (const std::size_t k : order) {
      if (kept.size() >= most || weight(k) < least) break;
      kept.push_back(std::move(sets_[k]));
      start_.push_back(weight(k));
    }
    sets_ = std::move(kept);
    known_ = {sets_.begin(), sets_.end()};
  }

  struct Found {
    double excess;  // of the left side, in units of the right one
    RecordSet set;
  };

  // Changes one record after the other, the best first, as long as the excess rises.
  Found climb(RecordSet set) const {
    const VectorXd row = row_of(set);
    VectorXd priced = prices_ * row;
    double square = row.dot(priced);
    double mean = row.mean();
    double cost = multipliers_.dot(row);
    double now = square / mean - cost;
    const auto n = static_cast<double>(records_);
    for (Index step = 0; step < 4 * records_; ++step) {
      Index best = -1;
      double most = now + 1e-9 * cost;
      for (Index x = 0; x < records_; ++x) {
        const double change = set[static_cast<std::size_t>(x)] ? 1 - factor_ : factor_ - 1;
        const double value = (square + 2 * change * priced[x] + change * change * prices_(x, x)) / (mean + change / n) -
                             (cost + change * multipliers_[x]);
        if (value > most) {
          most = value;
          best = x;
        }
      }
      if (best < 0) break;
      const auto at = static_cast<std::size_t>(best);
      const double change = set[at] ? 1 - factor_ : factor_ - 1;
      square += 2 * change * priced[best] + change * change * prices_(best, best);
      mean += change / n;
      cost += change * multipliers_[best];
      priced += change * prices_.col(best);
      set[at] = !set[at];
      now = square / mean - cost;
    }
    return {now / cost, std::move(set)};
  }

  bool add_better_sets() {
    std::vector<Found> found;
    for (const RecordSet& set : sets_) {
      Found better = climb(set);
      if (better.excess > kWorthAdding && known_.insert(better.set).second) found.push_back(std::move(better));
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.excess > b.excess; });
    const double mean = std::accumulate(start_.begin(), start_.end(), 0.0) / static_cast<double>(start_.size());
    std::size_t added = 0;
    for (Found& one : found) {
      if (sets_.size() >= options_.most_outputs) break;
      sets_.push_back(std::move(one.set));
      start_.push_back(mean / 10);
      ++added;
    }
    return added > 0;
  }

  const StrategyOptions& options_;
  double factor_;
  Index records_;
  MatrixXd functions_;
  VectorXd query_weights_;
  MatrixXd gram_;
  std::vector<RecordSet> sets_;
  std::set<RecordSet> known_;
  std::vector<double> start_;
  MatrixXd rows_;
  VectorXd weights_;
  VectorXd means_;
  VectorXd multipliers_;
  MatrixXd inverse_;
  MatrixXd prices_;
  VectorXd gains_;
};

}  // namespace

StrategySets optimise_strategy(const ExplicitWorkload& workload, const StrategySets& start,
                               const StrategyOptions& options) {
  StrategyDescent descent(workload, options);
  const auto records = static_cast<std::size_t>(workload.functions.rows());
  double total = 0;
  for (std::size_t k = 0; k < start.sets.size(); ++k) {
    descent.add(start.sets[k], start.weights[k]);
    total += start.weights[k];
  }
  const double little = total > 0 ? total / (100.0 * static_cast<double>(records)) : 1;
  for (std::size_t x = 0; x < records; ++x) {
    RecordSet set(records, false);
    set[x] = true;
    descent.add(set, little);
    set.flip();
    descent.add(set, little);
  }
  return descent.run();
}

}  // namespace hearsay::planner
