// Symbols: those of aggregator/compiler/question_law.h. d_j is the spectrum of the questions with multiplier j, w_j its
// weight, and λ = Σ_j w_j·d_j. With g - μ = M·h, the scores of an arc are K·B - Σ h, where Σ h = 0 and B is the sum of
// h over the values in the arc. The arcs of z places that hold the place p start at the places p-z+1 to p. Equally many
// arcs start at each place, so
//   E[t² | truth] = Σ_j w_j·K²/J·Σ_z count_z·Σ_u B_jz(u)².
// A small change δ of w_j changes h by -δ·M⁺·M_j·h.

#include "aggregator/planner/circle_functions.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <numeric>

namespace hearsay::planner {

CircleFunctions::CircleFunctions(std::uint32_t values, std::uint32_t bits)
    : size_(values), bits_(bits), roots_(values, values), spectra_(values, values / 2) {
  const std::uint64_t answers = std::uint64_t{1} << bits;
  std::map<std::uint32_t, std::uint32_t> counts;
  const auto start = [&](std::uint64_t answer) { return (answer * size_ + answers - 1) / answers; };
  for (std::uint64_t answer = 0; answer < answers; ++answer) {
    ++counts[static_cast<std::uint32_t>(start(answer + 1) - start(answer))];
  }
  for (const auto& [places, count] : counts) arcs_.push_back({places, count});
  for (std::uint32_t k = 0; k < size_; ++k) {
    for (std::uint32_t x = 0; x < size_; ++x) {
      roots_(k, x) = std::polar(1.0, -2 * std::numbers::pi * (std::uint64_t{k} * x % size_) / size_);
    }
  }
  for (std::size_t j = 0; j < multipliers(); ++j) {
    Eigen::VectorXd row(size_);
    for (std::uint32_t x = 0; x < size_; ++x) row[x] = kernel(place(j, x));
    spectra_.col(static_cast<Eigen::Index>(j)) = (roots_ * row).real().cwiseMax(0.0);
  }
}

// Returns the element of M_1, the matrix of multiplier 1, for two values whose difference is `distance`.
double CircleFunctions::kernel(std::uint32_t distance) const {
  double together = 0;  // how many arcs hold both values, over all turns
  for (const Arcs& arcs : arcs_) {
    for (const std::uint32_t way : {distance, size_ - distance}) {
      if (way < arcs.places) together += arcs.count * (arcs.places - way);
    }
  }
  return std::ldexp(together, static_cast<int>(bits_)) / size_ - 1;
}

std::size_t CircleFunctions::add(std::span<const double> function) {
  Eigen::VectorXd g = Eigen::Map<const Eigen::VectorXd>(function.data(), size_);
  Function one;
  one.moments.mean = g.mean();
  std::map<double, std::vector<std::uint32_t>> kinds;
  for (std::uint32_t x = 0; x < size_; ++x) kinds[function[x]].push_back(x);
  for (auto& [value, same] : kinds) {
    one.moments.kinds.push_back({value - one.moments.mean, 0});
    one.worst.push_back(same.front());
    one.values.push_back(std::move(same));
  }
  g.array() -= one.moments.mean;
  one.transform = roots_ * g;
  functions_.push_back(std::move(one));
  return functions_.size() - 1;
}

void CircleFunctions::set_weights(const Eigen::VectorXd& weights) {
  weights_ = weights;
  inverse_ = (spectra_ * weights).cwiseMax(1e-300).cwiseInverse();
  inverse_[0] = 0;
  for (Function& function : functions_) set_function(function);
}

void CircleFunctions::set_function(Function& function) const {
  function.scores = function.transform.cwiseProduct(inverse_);
  function.moments.energy = function.transform.dot(function.scores).real() / size_;
  if (bits_ == 1) {  // the scores of the two answers are opposite
    for (FunctionMoments::Kind& kind : function.moments.kinds) kind.moment = function.moments.energy;
    return;
  }
  const Eigen::VectorXd h = (roots_.adjoint() * function.scores).real() / size_;
  const auto count = static_cast<Eigen::Index>(multipliers());
  function.sums.assign(arcs_.size(), Eigen::ArrayXXd(size_, count));
  Eigen::ArrayXXd squares(size_, count);  // for each place, the sum of squares over the arcs that hold the place
  std::vector<double> moments(size_, 0.0);
  for (std::size_t j = 0; j < multipliers(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    set_sums(h, j, function.sums);
    double* const of_place = squares.col(column).data();
    std::fill_n(of_place, size_, 0.0);
    for (std::size_t z = 0; z < arcs_.size(); ++z) {
      add_squares(function.sums[z].col(column).data(), arcs_[z], of_place);
    }
    const double weight = weights_[column];
    std::uint32_t place = 0;
    for (double& moment : moments) {
      moment += weight * of_place[place];
      place = next(place, j);
    }
  }
  const double scale = std::ldexp(1.0, static_cast<int>(2 * bits_)) / size_;
  function.by_multiplier.resize(count, static_cast<Eigen::Index>(function.worst.size()));
  for (std::size_t kind = 0; kind < function.worst.size(); ++kind) {
    const std::vector<std::uint32_t>& values = function.values[kind];
    const std::uint32_t worst = *std::ranges::max_element(values, {}, [&](std::uint32_t x) { return moments[x]; });
    function.worst[kind] = worst;
    function.moments.kinds[kind].moment = scale * moments[worst];
    for (Eigen::Index j = 0; j < count; ++j) {
      function.by_multiplier(j, static_cast<Eigen::Index>(kind)) =
          scale * squares(place(static_cast<std::size_t>(j), worst), j);
    }
  }
}

// Returns the place of the value after the value at `place` on the circle of the multiplier j + 1.
std::uint32_t CircleFunctions::next(std::uint32_t place, std::size_t j) const {
  const auto moved = static_cast<std::uint32_t>(place + j + 1);
  return moved < size_ ? moved : moved - size_;
}

// Computes, for one multiplier, the sums of h over the arcs from every place.
void CircleFunctions::set_sums(const Eigen::VectorXd& h, std::size_t j, std::vector<Eigen::ArrayXXd>& sums) const {
  std::vector<double> at_place(2 * std::size_t{size_}, 0.0);  // two rounds of the circle
  std::uint32_t place = 0;
  for (const double one : h) {
    at_place[place] += one;
    place = next(place, j);
  }
  std::copy_n(at_place.begin(), size_, at_place.begin() + size_);
  for (std::size_t z = 0; z < arcs_.size(); ++z) {
    double* const of_arc = sums[z].col(static_cast<Eigen::Index>(j)).data();
    double sum = std::accumulate(at_place.begin(), at_place.begin() + arcs_[z].places, 0.0);
    for (std::uint32_t u = 0; u < size_; ++u) {
      of_arc[u] = sum;
      sum += at_place[u + arcs_[z].places] - at_place[u];
    }
  }
}

// The arcs that hold the place p start at the places p-z+1 to p, where z = arcs.places.
void CircleFunctions::add_squares(const double* sums, const Arcs& arcs, double* of_place) const {
  double square = 0;
  for (std::uint32_t u = size_ - arcs.places; u < size_; ++u) square += sums[u] * sums[u];
  std::uint32_t first = size_ - arcs.places;  // the start of the arc that holds the place before p, but not p
  for (std::uint32_t p = 0; p < size_; ++p) {
    square += sums[p] * sums[p] - sums[first] * sums[first];
    of_place[p] += arcs.count * square;
    if (++first == size_) first = 0;
  }
}

// Returns the derivative by h of the moment at `value`.
Eigen::VectorXd CircleFunctions::sensitivity(const Function& function, std::uint32_t value) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(size_);
  std::vector<double> change(2 * std::size_t{size_} + 1);  // two rounds of the circle
  std::vector<double> at_place(size_);
  for (std::size_t j = 0; j < multipliers(); ++j) {
    std::ranges::fill(change, 0.0);
    for (std::size_t z = 0; z < arcs_.size(); ++z) {
      const double* const sums = function.sums[z].col(static_cast<Eigen::Index>(j)).data();
      std::uint32_t start = place(j, value);
      for (std::uint32_t back = 0; back < arcs_[z].places; ++back) {
        const double sum = arcs_[z].count * sums[start];
        change[start] += sum;
        change[start + arcs_[z].places] -= sum;
        start = start == 0 ? size_ - 1 : start - 1;
      }
    }
    double sum = 0;
    for (std::uint32_t p = 0; p < size_; ++p) at_place[p] = sum += change[p];
    for (std::uint32_t p = 0; p < size_; ++p) at_place[p] += sum += change[p + size_];
    const double weight = weights_[static_cast<Eigen::Index>(j)];
    std::uint32_t at = 0;
    for (double& slope : result) {
      slope += weight * at_place[at];
      at = next(at, j);
    }
  }
  return result * (2 * std::ldexp(1.0, static_cast<int>(2 * bits_)) / size_);
}

void CircleFunctions::add_slopes(std::size_t number, double by_energy, std::span<const double> by_moment,
                                 Eigen::VectorXd& slopes) const {
  const Function& function = functions_[number];
  if (bits_ == 1) {
    for (const double slope : by_moment) by_energy += slope;
    slopes -= spectra_.transpose() * function.scores.cwiseAbs2() * (by_energy / size_);
    return;
  }
  Eigen::VectorXd by_scores = Eigen::VectorXd::Zero(size_);
  for (std::size_t kind = 0; kind < by_moment.size(); ++kind) {
    if (by_moment[kind] == 0) continue;
    by_scores += by_moment[kind] * sensitivity(function, function.worst[kind]);
    slopes += by_moment[kind] * function.by_multiplier.col(static_cast<Eigen::Index>(kind));
  }
  const Eigen::VectorXcd transformed = roots_ * by_scores;
  const Eigen::VectorXd through =
      (by_energy * function.scores.cwiseAbs2() +
       (transformed.conjugate().cwiseProduct(function.scores)).real().cwiseProduct(inverse_)) /
      size_;
  slopes -= spectra_.transpose() * through;
}

double CircleFunctions::work() const {
  constexpr double kPerPlace = 40;
  return kPerPlace * static_cast<double>(functions_.size()) * static_cast<double>(spectra_.size());
}

CircleQuestions CircleFunctions::spec(const Eigen::VectorXd& weights) const {
  constexpr double kTotal = 1U << 24U;
  constexpr double kMissed = 1e-3;  // the part of the information about a frequency that may be lost
  const Eigen::VectorXd before = spectra_ * weights;
  Eigen::VectorXd kept = weights;
  std::vector<Eigen::Index> ascending(multipliers());
  for (std::size_t j = 0; j < ascending.size(); ++j) ascending[j] = static_cast<Eigen::Index>(j);
  std::ranges::sort(ascending, {}, [&](Eigen::Index j) { return weights[j]; });
  for (const Eigen::Index j : ascending) {
    Eigen::VectorXd without = kept;
    without[j] = 0;
    if ((((before - spectra_ * without).array() > kMissed * before.array()).tail(size_ - 1)).any()) break;
    kept = without;
  }
  CircleQuestions circle{size_, bits_, {}, {}};
  for (std::size_t j = 0; j < multipliers(); ++j) {
    const double weight = kept[static_cast<Eigen::Index>(j)];
    if (weight == 0) continue;
    circle.multipliers.push_back(static_cast<std::uint32_t>(j + 1));
    circle.weights.push_back(std::max(1U, static_cast<std::uint32_t>(std::lround(weight * kTotal))));
  }
  return circle;
}

Eigen::VectorXd CircleFunctions::weights_of(const CircleQuestions& circle) const {
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(multipliers()));
  for (std::size_t i = 0; i < circle.multipliers.size(); ++i) weights[circle.multipliers[i] - 1] = circle.weights[i];
  return weights / weights.sum();
}

}  // namespace hearsay::planner
