// Symbols: E = e^ε; b_k = 1 + (E-1)·[x ∈ S_k], row k of B; w_k its weight, so that A = diag(w)·B and Bᵀw = 1; M
// records, uniform; d_k the mean of b_k; I = Σ w_k·b_k·b_kᵀ/d_k; G = Σ u_i·f_i·f_iᵀ over the workload's queries f_i,
// with weights u_i.
//
// The objective is F(w) = tr(G·I⁻¹) = min over scores V with VᵀA = fᵀ of the queries' mean second moments (McKenna et
// al. 2020, Theorem 3.10). F is convex in w, and equal to min Σ d_k·|r_k|²/w_k over r with Σ_k r_k·b_kᵀ = fᵀ (r_k =
// w_k·V_k).
//
// Weights: given the best r, Σ c_k/w_k with c_k = d_k·|r_k|² is least under Bᵀw = 1 for w_k = √(c_k/(λ·b_k)). The
// multipliers λ maximise the concave 2·Σ√(c_k·λ·b_k) - Σλ. Alternating between the best r and the best w never
// raises F (a majorisation, as in the multiplicative algorithm for optimal designs), and needs no step size.
//
// Sets: for the best weights, b_kᵀQb_k/d_k = λ·b_k with Q = I⁻¹GI⁻¹. A set whose left side is larger than its right
// side is worth adding. The search adds or removes records of the present sets one by one, as long as the difference
// rises.
//
// The worst query: the search multiplies u by the queries' variances again and again, so that the dearest queries count
// more.

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

constexpr int kStepsPerRound = 15;
constexpr int kStepsPerQueryWeights = 5;
// The part of the outputs that a round keeps, so that there is room for new outputs.
constexpr double kKept = 0.6;
constexpr double kNegligible = 1e-5;  // the search drops weights below this part of the largest weight
constexpr double kWorthAdding = 1e-4;
// A round is vain if it lowers the least objective found by less than the part kConverged. After kVainRounds vain
// rounds in a row, the search ends if no set is worth adding. One vain round shows nothing, since the largest variance
// swings while the queries' weights settle.
constexpr double kConverged = 1e-6;
constexpr int kVainRounds = 5;

// Returns H with HHᵀ = F·Fᵀ, where F is the matrix `functions`. The number of columns of H is the rank of F.
MatrixXd half_of(const MatrixXd& functions) {
  constexpr double kNoRank = 1e-14;  // pivots below this part of the largest pivot count as 0
  MatrixXd gram = MatrixXd::Zero(functions.rows(), functions.rows());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(functions);
  const Eigen::LDLT<MatrixXd> factors(gram.selfadjointView<Eigen::Lower>());
  const VectorXd pivots = factors.vectorD();
  const Index rank = (pivots.array() > kNoRank * pivots.maxCoeff()).count();
  const MatrixXd lower = factors.matrixL();
  const MatrixXd half = lower.leftCols(rank) * pivots.head(rank).cwiseMax(0).cwiseSqrt().asDiagonal();
  return factors.transpositionsP().transpose() * half;
}

// The functions below count multiplications, so that the program can state and bound the cost of a search without a
// clock.
double work_of_gram(Index records, Index queries) {
  const auto m = static_cast<double>(records);
  return m * m * (static_cast<double>(queries) / 2 + m / 3);
}
double work_of_inform(Index outputs, Index records, Index rank) {
  const auto m = static_cast<double>(records);
  const auto r = static_cast<double>(rank);
  return static_cast<double>(outputs) * m * (m / 2 + r) + m * m * (m / 6 + r);
}
double work_of_variances(Index records, Index queries) {
  return static_cast<double>(records) * static_cast<double>(records) * static_cast<double>(queries) / 2;
}
double work_of_newton(Index outputs, Index records) {
  const auto m = static_cast<double>(records);
  return static_cast<double>(outputs) * m * (m / 2 + 4) + m * m * m / 6;
}
double work_of_climbs(Index outputs, Index records) {
  constexpr double kRecordsChanged = 0.25;  // the part of all records that a typical climb changes
  const auto m = static_cast<double>(records);
  return static_cast<double>(outputs) * m * m * (1 + 5 * kRecordsChanged);
}

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
    weights_ = Eigen::Map<const VectorXd>(start_.data(), static_cast<Index>(start_.size()));
    for (int round = 0; round < options_.rounds; ++round) {
      const bool last = round + 1 == options_.rounds || is_over();
      if (last || round > 0) {
        prune(last ? options_.most_outputs : static_cast<std::size_t>(kKept * options_.most_outputs));
        if (!last && !add_better_sets() && vain_rounds_ >= kVainRounds) break;
      }
      begin_round();
      for (int step = 0; step < kStepsPerRound && (last || !is_over()); ++step) {
        if (round > 0 || step > 0) weigh_queries(step);
        descend();
        if (options_.progress) {
          options_.progress({round * kStepsPerRound + step + 1, options_.rounds * kStepsPerRound, sets_.size(), work_});
        }
      }
      if (!keep_best() || last) break;
    }
    return best_;
  }

 private:
  bool is_over() const { return options_.stop.stop_requested() || work_ >= options_.most_work; }

  void begin_round() {
    rows_.resize(static_cast<Index>(sets_.size()), records_);
    for (std::size_t k = 0; k < sets_.size(); ++k) rows_.row(static_cast<Index>(k)) = row_of(sets_[k]).transpose();
    weights_ = Eigen::Map<const VectorXd>(start_.data(), static_cast<Index>(start_.size()));
    means_ = rows_.rowwise().mean();
    if (multipliers_.size() == 0) multipliers_ = VectorXd::Ones(records_);
  }

  // Returns false if the numbers are beyond floating point.
  bool keep_best() {
    inform();
    const double now = objective();
    if (!std::isfinite(now)) return false;
    if (sets_.size() <= options_.most_outputs && now < least_) {
      least_ = now;
      best_ = {sets_, {weights_.data(), weights_.data() + weights_.size()}};
    }
    vain_rounds_ = least_ < previous_ * (1 - kConverged) ? 0 : vain_rounds_ + 1;
    previous_ = least_;
    return true;
  }

  VectorXd row_of(const RecordSet& set) const {
    VectorXd row(records_);
    for (Index x = 0; x < records_; ++x) row[x] = set[static_cast<std::size_t>(x)] ? factor_ : 1;
    return row;
  }

  void set_gram() {
    half_ = half_of(functions_ * query_weights_.cwiseSqrt().asDiagonal());
    work_ += work_of_gram(records_, functions_.cols());
  }

  // Computes I, I⁻¹H and the left sides b_kᵀQb_k/d_k (symbols: top of file), which are squares and never negative.
  void inform() {
    constexpr double kRidge = 1e-10;
    const MatrixXd scaled = weights_.cwiseQuotient(means_).cwiseSqrt().asDiagonal() * rows_;
    MatrixXd information = MatrixXd::Zero(records_, records_);
    information.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    information.diagonal().array() += kRidge * information.trace() / static_cast<double>(records_);
    information_.compute(information.selfadjointView<Eigen::Lower>());
    priced_ = information_.solve(half_);
    gains_ = (rows_ * priced_).rowwise().squaredNorm().cwiseQuotient(means_);
    work_ += work_of_inform(rows_.rows(), records_, half_.cols());
  }

  double total() const { return half_.cwiseProduct(priced_).sum(); }

  double objective() { return options_.objective == StrategyObjective::kTotal ? total() : variances().maxCoeff(); }

  VectorXd variances() {
    work_ += work_of_variances(records_, functions_.cols());
    const MatrixXd halves = information_.matrixL().solve(functions_);
    return halves.colwise().squaredNorm().transpose() - functions_.colwise().mean().transpose().cwiseAbs2();
  }

  void weigh_queries(int step) {
    if (options_.objective != StrategyObjective::kWorstQuery || step % kStepsPerQueryWeights != 0) return;
    const VectorXd now = variances().cwiseMax(1e-12);
    query_weights_ = query_weights_.cwiseProduct(now);
    query_weights_ /= query_weights_.sum();
    set_gram();
  }

  // Leaves out the sets of negligible weight, so that no multipliers need fit these sets.
  void drop_dead() {
    constexpr double kDead = 1e-9;  // weights below this part of the largest weight are negligible
    const double least = kDead * weights_.maxCoeff();
    if (weights_.minCoeff() >= least) return;
    std::vector<Index> alive;
    std::vector<RecordSet> kept;
    for (std::size_t k = 0; k < sets_.size(); ++k) {
      if (weights_[static_cast<Index>(k)] < least) continue;
      alive.push_back(static_cast<Index>(k));
      kept.push_back(std::move(sets_[k]));
    }
    sets_ = std::move(kept);
    rows_ = MatrixXd(rows_(alive, Eigen::all));
    weights_ = VectorXd(weights_(alive));
    means_ = VectorXd(means_(alive));
  }

  void descend() {
    drop_dead();
    inform();
    const VectorXd costs = weights_.cwiseAbs2().cwiseProduct(gains_);
    find_multipliers(costs);
    constexpr double kLeast = 1e-15;
    weights_ = costs.cwiseQuotient(rows_ * multipliers_).cwiseSqrt().cwiseMax(kLeast);
  }

  // Finds λ by Newton's method on the domain λ·b_k > 0 (symbols: top of file). The gradient has a number for each
  // record: the sum of the record's probabilities, minus 1.
  void find_multipliers(const VectorXd& costs) {
    constexpr int kSteps = 40;
    constexpr double kPrecise = 1e-10;
    constexpr double kRidge = 1e-12;
    if ((rows_ * multipliers_).minCoeff() <= 0) multipliers_.setConstant(total() / static_cast<double>(records_));
    for (int step = 0; step < kSteps; ++step) {
      work_ += work_of_newton(rows_.rows(), records_);
      const VectorXd products = rows_ * multipliers_;
      const VectorXd weights = costs.cwiseQuotient(products).cwiseSqrt();
      const VectorXd gradient = rows_.transpose() * weights - VectorXd::Ones(records_);
      if (gradient.cwiseAbs().maxCoeff() < kPrecise) return;
      const MatrixXd scaled = (0.5 * weights.cwiseQuotient(products)).cwiseSqrt().asDiagonal() * rows_;
      MatrixXd curvature = MatrixXd::Zero(records_, records_);
      curvature.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
      curvature.diagonal().array() += kRidge * curvature.diagonal().maxCoeff();
      const VectorXd direction = Eigen::LLT<MatrixXd>(curvature.selfadjointView<Eigen::Lower>()).solve(gradient);
      const VectorXd change = rows_ * direction;
      double length = 1;
      while ((products + length * change).cwiseQuotient(products).minCoeff() <= 0.1) length /= 2;
      multipliers_ += length * direction;
    }
  }

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
    double excess;  // how much b_kᵀQb_k/d_k exceeds λ·b_k, divided by λ·b_k
    RecordSet set;
  };

  // Changes one record after the other, the best first, as long as b_kᵀQb_k/d_k - λ·b_k rises (symbols: top of file).
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
    prices_ = priced_ * priced_.transpose();
    work_ += work_of_climbs(static_cast<Index>(sets_.size()), records_);
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
  MatrixXd half_;
  std::vector<RecordSet> sets_;
  std::set<RecordSet> known_;
  std::vector<double> start_;
  MatrixXd rows_;
  VectorXd weights_;
  VectorXd means_;
  VectorXd multipliers_;
  Eigen::LLT<MatrixXd> information_;
  MatrixXd priced_;
  MatrixXd prices_;
  VectorXd gains_;
  double work_ = 0;
  StrategySets best_;
  double least_ = std::numeric_limits<double>::infinity();  // of best_
  double previous_ = std::numeric_limits<double>::infinity();
  int vain_rounds_ = 0;
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

double strategy_work(const ExplicitWorkload& workload, std::size_t start_outputs, int rounds) {
  // The two numbers below were measured for ranges, prefixes, points, conjunctions and random queries on 12 to 256
  // possible records.
  constexpr double kNewtonSteps = 6;
  constexpr Index kOutputsOfRank = 10;
  const Index records = workload.functions.rows();
  const Index queries = workload.functions.cols();
  const Index rank = half_of(workload.functions).cols();
  const auto round_of = [&](Index kept) {
    const double step = work_of_inform(kept, records, rank) + kNewtonSteps * work_of_newton(kept, records);
    const double weighing = work_of_variances(records, queries) + work_of_gram(records, queries);
    return kStepsPerRound * step + kStepsPerRound / kStepsPerQueryWeights * weighing + work_of_climbs(kept, records);
  };
  return round_of(static_cast<Index>(start_outputs)) + (rounds - 1) * round_of(kOutputsOfRank * rank);
}

}  // namespace hearsay::planner
