// Symbols: M = the number of records; E = e^ε; S = a set of records, whose row has b(x) = E for x in S and 1 elsewhere;
// d_S = the mean of b; p_S = the probability of all outputs that are shifts of S, so that each has the weight
// p_S/(M·d_S); f = a query and u_f = its weight; χ = a frequency of the group of records, and ^ = the Fourier
// transform.
//
// The shifts make the information matrix diagonal in the Fourier basis. Its entries are
//   λ(χ) = Σ_S p_S·g_S(χ) with g_S(χ) = (E-1)²·|Ŝ(χ)|²/(M·d_S²).
// If all records are equally frequent, linear scores of f have the variance V_f = Σ_{χ≠0} |f̂(χ)|²/(M·λ(χ)).
//
// Weights: each step multiplies p_S by the gain of S, as the multiplicative algorithm for optimal designs does. The
// gain is Σ_χ g_S(χ)·P(χ)/Σ_f u_f·V_f with P(χ) = Σ_f u_f·|f̂(χ)|²/(M·λ(χ)²). At the optimum no set has a gain above 1.
//
// Sets: the search changes one record of a set after the other, as long as the gain rises.
//
// The worst people: for the worst people, the variance of f is larger than V_f. After each round the search computes
// this variance for each f. In the next round the search adds the difference to V_f before it multiplies u_f by V_f.
// Often half of the worst people for f satisfy f. Then sets with half of the records are better than V_f says. So the
// search runs for several h from 0 to 1, and takes one of the two factors d_S in g_S as if S had the part (1-h)·|S|/M +
// h/2 of the records.

#include "aggregator/planner/shift_optimiser.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "aggregator/compiler/group_fourier.h"
#include "aggregator/compiler/strategy_decoder.h"
#include "aggregator/compiler/worst_people_scores.h"
#include "aggregator/planner/set_climb.h"
#include "aggregator/planner/shift_orbits.h"

namespace hearsay::planner {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kHalves[] = {0, 0.25, 0.5, 0.75, 1};  // the values of h
constexpr int kShiftSteps = 200;                       // multiplicative steps of a round
constexpr std::size_t kClimbsPerRound = 64;
// The number of multiplications, for each entry of a row, that computing a query's scores and their mean squares takes.
// This computation takes four Fourier transforms.
constexpr double kPerEntry = 40;
// The number of multiplications that take as long as moving one record of a set. least_shift() moves records² records.
constexpr double kPerShift = 8;

// The search for one value of h.
class ShiftDescent {
 public:
  ShiftDescent(const ExplicitWorkload& workload, const std::vector<std::uint32_t>& values, const Shifts& shifts,
               const StrategyOptions& options, double halves)
      : workload_(workload),
        values_(values),
        options_(options),
        scale_{std::exp(options.epsilon), halves},
        shifts_(shifts),
        fourier_(values),
        records_(workload.functions.rows()),
        most_sets_(std::max<std::size_t>(2, options.most_outputs / shifts_.records())),
        energies_(workload.functions.cols(), records_),
        query_weights_(ArrayXd::Constant(energies_.rows(), 1.0 / static_cast<double>(energies_.rows()))),
        excess_(ArrayXd::Zero(energies_.rows())) {
    constexpr double kRounding = 1e-20;  // energies up to this part of the largest energy count as 0
    for (Index i = 0; i < energies_.rows(); ++i) {
      energies_.row(i) = weight(i) * power(workload.functions.col(i)) / static_cast<double>(records_);
    }
    energies_ = (energies_ > kRounding * energies_.maxCoeff()).select(energies_, 0);
  }

  // `set` must be the least of its shifts.
  void add(const RecordSet& set, double probability) {
    if (!known_.insert(set).second) return;
    gains_of_.push_back(gains_at(set));
    sets_.push_back(set);
    start_.push_back(probability);
  }

  StrategySets run() {
    set_probabilities();
    for (int round = 0; round < options_.rounds; ++round) {
      const bool last = round + 1 == options_.rounds || is_over();
      if (last || round > 0) {
        prune(last ? most_sets_ : static_cast<std::size_t>(kKept * static_cast<double>(most_sets_)));
        if (!last && !add_better_sets() && vain_rounds_ >= kVainRounds) break;
      }
      settle(round);
      prune(sets_.size());
      if (!keep_best() || last) break;
    }
    return best_;
  }
  double least() const { return least_; }

 private:
  double weight(Index query) const { return workload_.weights[static_cast<std::size_t>(query)]; }
  bool is_over() const { return options_.stop.stop_requested() || work_ >= options_.most_work; }

  // Returns |f̂(χ)|² for every frequency χ, where f̂ is the function's transform; 0 for the frequency 0, about which
  // reports need not tell anything.
  Eigen::RowVectorXd power(const VectorXd& function) const {
    Eigen::VectorXcd spectrum = function.cast<std::complex<double>>();
    compiler::GroupFourier::Run(fourier_).forward(spectrum);
    Eigen::RowVectorXd squares = spectrum.cwiseAbs2().transpose();
    squares[0] = 0;
    return squares;
  }

  // Returns g_S(χ) (see the top of the file) for every frequency χ.
  Eigen::RowVectorXd gains_at(const RecordSet& set) const {
    const VectorXd function = membership_of(set);
    return scale_.of(function.mean()) * power(function) / static_cast<double>(records_);
  }

  void settle(int round) {
    const auto sets = static_cast<Index>(sets_.size());
    MatrixXd gains(sets, records_);
    for (Index k = 0; k < sets; ++k) gains.row(k) = gains_of_[static_cast<std::size_t>(k)];
    set_probabilities();
    for (int step = 0; step < kShiftSteps; ++step) {
      // A frequency that no query needs may lose all information.
      const VectorXd information = (gains.transpose() * probabilities_).cwiseMax(kLeastInformation);
      variances_ = energies_.matrix() * information.cwiseInverse();
      const VectorXd weighted = energies_.matrix().transpose() * query_weights_.matrix();
      prices_ = weighted.cwiseQuotient(information.cwiseAbs2());
      total_ = query_weights_.matrix().dot(variances_.matrix());
      probabilities_ = probabilities_.cwiseProduct((gains * prices_ / total_));
      probabilities_ /= probabilities_.sum();
      if (step % kStepsPerQueryWeights == 0) {
        query_weights_ *= (variances_ + excess_).max(0);
        query_weights_ /= query_weights_.sum();
      }
    }
    work_ += 2.0 * kShiftSteps * static_cast<double>((sets + energies_.rows()) * records_);
    if (options_.progress) {
      options_.progress(
          {(round + 1) * kShiftSteps, options_.rounds * kShiftSteps, sets_.size() * shifts_.records(), work_});
    }
  }

  // Computes the worst people's variances, and keeps the strategy if it is the best so far. Returns false if the
  // numbers are beyond floating point.
  bool keep_best() {
    constexpr Index kAtOnce = 8;
    StrategySets now{sets_, {}, true};
    MatrixXd rows(static_cast<Index>(sets_.size()), records_);
    for (Index k = 0; k < rows.rows(); ++k) {
      const VectorXd set = membership_of(sets_[static_cast<std::size_t>(k)]);
      const double weight = probabilities_[k] / (static_cast<double>(records_) * scale_.mean(set.mean()));
      rows.row(k) = (weight * (1 + (scale_.factor - 1) * set.array())).transpose();
      now.weights.push_back(weight);
    }
    const compiler::StrategyDecoder decoder(compiler::ShiftRows{std::move(rows), values_});
    double largest = 0;
    for (Index from = 0; from < energies_.rows(); from += kAtOnce) {
      const MatrixXd functions = workload_.functions.middleCols(from, std::min(kAtOnce, energies_.rows() - from));
      const Result<MatrixXd> scores = decoder.scores(functions);
      if (!scores) return true;  // prune() left out sets that the query needs
      const MatrixXd moments = decoder.second_moments(*scores);
      for (Index i = 0; i < functions.cols(); ++i) {
        const double worst = weight(from + i) * compiler::largest_variance(moments.col(i), functions.col(i));
        excess_[from + i] = worst - variances_[from + i];
        largest = std::max(largest, worst);
      }
    }
    if (!std::isfinite(largest)) return false;
    if (sets_.size() <= most_sets_ && largest < least_) {
      least_ = largest;
      best_ = std::move(now);
    }
    vain_rounds_ = least_ < previous_ * (1 - kConverged) ? 0 : vain_rounds_ + 1;
    previous_ = least_;
    work_ += kPerEntry * static_cast<double>(energies_.rows() * probabilities_.size() * records_);
    return true;
  }

  void prune(std::size_t most) {
    std::vector<std::size_t> order(sets_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto probability = [this](std::size_t k) { return probabilities_[static_cast<Index>(k)]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return probability(a) > probability(b); });
    std::vector<RecordSet> kept;
    std::vector<Eigen::RowVectorXd> gains;
    start_.clear();
    for (const std::size_t k : order) {
      if (kept.size() >= most || probability(k) < kNegligible) break;
      kept.push_back(std::move(sets_[k]));
      gains.push_back(std::move(gains_of_[k]));
      start_.push_back(probability(k));
    }
    sets_ = std::move(kept);
    gains_of_ = std::move(gains);
    known_ = {sets_.begin(), sets_.end()};
    set_probabilities();
  }

  void set_probabilities() {
    probabilities_ = Eigen::Map<const VectorXd>(start_.data(), static_cast<Index>(start_.size()));
    probabilities_ /= probabilities_.sum();
  }

  // Returns a random set to climb from. Without random sets the search would see only neighbours of the sets that it
  // started from.
  RecordSet random_set() {
    const double part = std::ldexp(static_cast<double>(random_() >> 11U), -53) / 2;
    RecordSet set(shifts_.records(), false);
    for (std::size_t x = 0; x < set.size(); ++x) set[x] = std::ldexp(static_cast<double>(random_() >> 11U), -53) < part;
    return set;
  }

  bool add_better_sets() {
    // With c the inverse transform of P (see the top of the file), Σ_χ P(χ)·|Ŝ(χ)|²/M is the sum of c(x - y) over all
    // pairs (x, y) of S.
    Eigen::VectorXcd of_difference = prices_.cast<std::complex<double>>();
    compiler::GroupFourier::Run(fourier_).inverse(of_difference);
    MatrixXd covariances(records_, records_);
    for (std::size_t s = 0; s < shifts_.records(); ++s) {
      for (std::size_t x = 0; x < shifts_.records(); ++x) {
        covariances(static_cast<Index>(shifts_.sum(x, s)), static_cast<Index>(x)) =
            of_difference[static_cast<Index>(s)].real();
      }
    }
    std::vector<ClimbedSet> found;
    for (std::size_t k = 0; k < kClimbsPerRound; ++k) {
      const bool is_present = k < kClimbsPerRound - kRandomClimbs && k < sets_.size();
      ClimbedSet better = climb(is_present ? sets_[k] : random_set(), covariances, scale_);
      work_ += better.work + kPerShift * static_cast<double>(records_ * records_);
      if (better.gain > total_ * (1 + kWorthAdding)) found.push_back(std::move(better));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const ClimbedSet& a, const ClimbedSet& b) { return a.gain > b.gain; });
    const std::size_t before = sets_.size();
    for (const ClimbedSet& one : found) {
      if (sets_.size() >= most_sets_) break;
      add(least_shift(one.set, shifts_), kNewSets / static_cast<double>(found.size()));
    }
    return sets_.size() > before;
  }

  static constexpr int kStepsPerQueryWeights = 5;
  static constexpr double kWorthAdding = 1e-4;  // by which the gain of a new set must exceed 1
  static constexpr double kNewSets = 0.01;      // the probability of all new sets together
  static constexpr double kNegligible = 1e-6;   // probability below which a set is left out
  static constexpr std::size_t kRandomClimbs = 16;
  static constexpr double kLeastInformation = 1e-100;
  static constexpr double kKept = 0.6;  // the part of most_sets_ that a round keeps, so that there is room for new sets
  // A round is vain if it lowers the least variance found by less than the part kConverged. After kVainRounds vain
  // rounds in a row, the search ends if no set is worth adding.
  static constexpr double kConverged = 1e-4;
  static constexpr int kVainRounds = 6;

  const ExplicitWorkload& workload_;
  const std::vector<std::uint32_t>& values_;
  const StrategyOptions& options_;
  SetScale scale_;
  const Shifts& shifts_;
  compiler::GroupFourier fourier_;
  Index records_;
  std::size_t most_sets_;
  ArrayXXd energies_;  // queries × frequencies
  ArrayXd query_weights_;
  ArrayXd excess_;  // how much the worst people's variance of each query exceeds V_f
  std::vector<RecordSet> sets_;
  std::vector<Eigen::RowVectorXd> gains_of_;
  std::set<RecordSet> known_;
  std::vector<double> start_;
  VectorXd probabilities_;
  VectorXd prices_;
  ArrayXd variances_;
  double total_ = 0;
  double work_ = 0;
  std::mt19937_64 random_{1};  // for random_set(); every search draws the same sets
  StrategySets best_;
  double least_ = std::numeric_limits<double>::infinity();  // of best_
  double previous_ = std::numeric_limits<double>::infinity();
  int vain_rounds_ = 0;
};

struct StartSet {
  double probability;
  RecordSet set;
};

// Returns the likeliest sets of `start`, a set of a single record, and a set of all records but one.
std::vector<StartSet> start_sets(const StrategySets& start, const Shifts& shifts, const StrategyOptions& options) {
  const std::size_t most = 4 * options.most_outputs / shifts.records();
  const auto records = static_cast<double>(shifts.records());
  std::vector<StartSet> result;
  double total = 0;
  for (std::size_t k = 0; k < start.sets.size(); ++k) {
    const auto size = static_cast<double>(std::count(start.sets[k].begin(), start.sets[k].end(), true));
    result.push_back({start.weights[k] * (records + (std::exp(options.epsilon) - 1) * size), start.sets[k]});
    total += result.back().probability;
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const StartSet& a, const StartSet& b) { return a.probability > b.probability; });
  result.resize(std::min(result.size(), most));
  const double little = total > 0 ? total / 100 : 1;
  RecordSet single(shifts.records(), false);
  single[0] = true;
  result.push_back({little, single});
  single.flip();
  result.push_back({little, single});
  for (StartSet& one : result) one.set = least_shift(one.set, shifts);
  return result;
}

}  // namespace

StrategySets optimise_shift_strategy(const ExplicitWorkload& workload, const std::vector<std::uint32_t>& values,
                                     const StrategySets& start, const StrategyOptions& options) {
  const Shifts shifts(values);
  const std::vector<StartSet> sets = start_sets(start, shifts, options);
  constexpr auto kSearches = static_cast<int>(std::size(kHalves));
  StrategySets best;
  double least = std::numeric_limits<double>::infinity();
  double work = 0;
  for (int search = 0; search < kSearches; ++search) {
    if (options.stop.stop_requested() && !best.sets.empty()) break;
    StrategyOptions part = options;
    part.most_work = options.most_work / kSearches;
    double of_part = 0;
    part.progress = [&](const StrategyProgress& at) {
      of_part = at.work;
      if (!options.progress) return;
      options.progress({search * at.most_steps + at.step, kSearches * at.most_steps, at.outputs, work + at.work});
    };
    ShiftDescent descent(workload, values, shifts, part, kHalves[search]);
    for (const StartSet& one : sets) descent.add(one.set, one.probability);
    StrategySets found = descent.run();
    work += of_part;
    if (descent.least() < least) {
      least = descent.least();
      best = std::move(found);
    }
  }
  return best;
}

double shift_work(const ExplicitWorkload& workload, std::size_t sets, int rounds) {
  const auto records = static_cast<double>(workload.functions.rows());
  const auto queries = static_cast<double>(workload.functions.cols());
  const auto kept = static_cast<double>(sets);
  constexpr double kPerClimb = 4 + kPerShift;  // times records²; a climb typically changes a quarter of the records
  const double round = 2 * kShiftSteps * (kept + queries) * records + queries * kPerEntry * kept * records +
                       kClimbsPerRound * kPerClimb * records * records;
  return static_cast<double>(std::size(kHalves)) * rounds * round;
}

}  // namespace hearsay::planner
