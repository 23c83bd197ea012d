#include "aggregator/planner/arc_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <unsupported/Eigen/FFT>
#include <utility>

#include "aggregator/planner/plan.h"
#include "aggregator/planner/smooth_maximum.h"

namespace hearsay::planner {
namespace {

// If no question tells anything about a frequency, its eigenvalue is 0, apart from rounding.
double inverse_of(double eigenvalue) { return eigenvalue > 1e-12 ? 1 / eigenvalue : 0; }

// Returns |f̂|²/J of a range at the frequencies 0 to J/2, where f̂ is the range's Fourier transform. Adds the
// frequencies above J/2 to their mirror images. Returns 0 for the frequency 0.
Eigen::VectorXd power_of_range(std::uint32_t length, std::uint32_t values) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(values / 2 + 1);
  for (std::uint32_t k = 1; k <= values / 2; ++k) {
    const double angle = std::numbers::pi * k / values;
    const double size = std::sin(angle * length) / std::sin(angle);
    result[k] = size * size / values * (2 * k == values ? 1 : 2);
  }
  return result;
}

}  // namespace

ArcLaw::ArcLaw(std::uint32_t values, std::uint32_t bits, double gamma, std::vector<std::uint32_t> multipliers,
               double epsilon, std::vector<std::uint32_t> lengths)
    : size_(values),
      answers_(std::ldexp(1.0, static_cast<int>(bits))),
      multipliers_(std::move(multipliers)),
      epsilon_(epsilon),
      gamma_(gamma),
      lengths_(std::move(lengths)),
      scores_(values, bits),
      spectra_(static_cast<Eigen::Index>(multipliers_.size()), values / 2 + 1),
      powers_(static_cast<Eigen::Index>(lengths_.size()), values / 2 + 1),
      worst_(lengths_.size()),
      values_(powers_.rows()) {
  for (Eigen::Index m = 0; m < spectra_.rows(); ++m) {
    spectra_.row(m) = scores_.spectrum(multipliers_[static_cast<std::size_t>(m)]).transpose();
  }
  for (Eigen::Index i = 0; i < powers_.rows(); ++i) {
    powers_.row(i) = power_of_range(lengths_[static_cast<std::size_t>(i)], size_).transpose();
  }
}

// Nearly minimises the largest Σ power/eigenvalue over the lengths. Each sum is over the frequencies. The price of a
// length says how much its sum counts. The loop adapts the multipliers' weights to the prices, and then the prices to
// the weights.
Eigen::VectorXd ArcLaw::uniform_weights() const {
  constexpr int kSteps = 100;
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(spectra_.rows(), 1.0 / static_cast<double>(spectra_.rows()));
  Eigen::VectorXd prices = Eigen::VectorXd::Ones(powers_.rows());
  for (int step = 0; step < kSteps; ++step) {
    Eigen::VectorXd inverse = (spectra_.transpose() * weights).unaryExpr(&inverse_of);
    const Eigen::VectorXd pull = spectra_ * (powers_.transpose() * prices).cwiseProduct(inverse.cwiseAbs2());
    weights = weights.cwiseProduct(pull.cwiseSqrt());
    weights /= weights.sum();
    inverse = (spectra_.transpose() * weights).unaryExpr(&inverse_of);
    const Eigen::VectorXd variances = powers_ * inverse;
    prices = prices.array() * (variances / variances.maxCoeff()).array().pow(2 / (1 + 0.02 * step));
  }
  return weights;
}

void ArcLaw::choose_worst(std::size_t i, std::span<const double> moments) {
  const double scale = 1 / (gamma_ * gamma_);
  const auto middle = moments.begin() + lengths_[i];
  const auto on = std::max_element(moments.begin(), middle);
  const auto off = std::max_element(middle, moments.end());
  const auto row = static_cast<Eigen::Index>(i);
  const double rest = (1 - gamma_) * powers_.row(row).dot(inverse_);
  const WorstShare worst =
      worst_share(scale * (*on + rest), scale * (*off + rest), static_cast<double>(lengths_[i]) / size_);
  worst_[i] = {worst.share, static_cast<std::uint32_t>(on - moments.begin()),
               static_cast<std::uint32_t>(off - moments.begin())};
  values_[row] = limit_ratio(worst.variance, epsilon_);
}

Eigen::VectorXd ArcLaw::values(const Eigen::VectorXd& weights) {
  weights_ = weights;
  inverse_ = (spectra_.transpose() * weights).unaryExpr(&inverse_of);
  std::vector<std::complex<double>> spectrum(size_);
  for (std::uint32_t k = 0; k < size_; ++k) spectrum[k] = inverse_[std::min(k, size_ - k)];
  std::vector<double> first(size_);
  Eigen::FFT<double>().inv(first, spectrum);
  scores_.set_weights(first);
  std::vector<RangeScores::Lanes> moments((lengths_.size() + RangeScores::kLanes - 1) / RangeScores::kLanes,
                                          RangeScores::Lanes::Zero(RangeScores::kLanes, size_));
  for (std::size_t m = 0; m < multipliers_.size(); ++m) {
    const double weight = gamma_ * weights[static_cast<Eigen::Index>(m)] / size_;
    for (const RangeScores::Arcs& arcs : scores_.arcs()) {
      scores_.ask(multipliers_[m], arcs);
      scores_.add_moments(lengths_, weight * arcs.count, moments);
    }
  }
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const auto row = moments[i / RangeScores::kLanes].row(static_cast<Eigen::Index>(i % RangeScores::kLanes));
    const std::vector<double> of_length(row.begin(), row.end());
    choose_worst(i, of_length);
  }
  return values_;
}

// Adds the derivatives of Σ share·value by the weight of multiplier m, and by C (range_scores.h), since the scores are
// sums of C. For each length, two values count: the values with the largest moments inside and outside the range. A
// value's moment is proportional to γ·Σ score² over the arcs that hold the value.
void ArcLaw::add_slopes(std::size_t m, const RangeScores::Arcs& arcs, const Eigen::VectorXd& shares) {
  const std::uint32_t multiplier = multipliers_[m];
  scores_.ask(multiplier, arcs);
  const Eigen::Map<const Eigen::ArrayXd> steps(scores_.steps().data(), 2 * Eigen::Index{size_});
  Eigen::ArrayXd by_steps = Eigen::ArrayXd::Zero(2 * Eigen::Index{size_});  // two rounds of the circle
  Eigen::ArrayXd of_arcs(arcs.places);
  double square = 0;
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const Worst& worst = worst_[i];
    const auto back = static_cast<std::uint32_t>(std::uint64_t{lengths_[i]} * multiplier % size_);
    for (const auto& [value, part] : {std::pair(worst.on, worst.share), std::pair(worst.off, 1 - worst.share)}) {
      const double scale = shares[static_cast<Eigen::Index>(i)] * part;
      // The arcs that hold the value start at the places from `first` to `last`, modulo J.
      const std::uint64_t last = std::uint64_t{value} * multiplier;
      const auto first = static_cast<std::uint32_t>((last + size_ + 1 - arcs.places) % size_);
      const std::uint32_t turned = first < back ? first + size_ - back : first - back;
      of_arcs = steps.segment(first, arcs.places) - steps.segment(turned, arcs.places);
      square += scale * of_arcs.matrix().squaredNorm();
      of_arcs *= scale;
      by_steps.segment(first, arcs.places) += of_arcs;
      by_steps.segment(turned, arcs.places) -= of_arcs;
    }
  }
  by_steps.head(size_) += by_steps.tail(size_);
  const double chance = gamma_ * arcs.count / size_;
  slopes_[static_cast<Eigen::Index>(m)] += chance * square;
  const double scale = 2 * chance * weights_[static_cast<Eigen::Index>(m)] * answers_;
  double sum = 0;
  for (std::uint32_t back = 1; back < arcs.places; ++back) sum += by_steps[size_ - back];
  std::vector<double> by_places(size_);
  for (std::uint32_t place = 0; place < size_; ++place) {
    sum += by_steps[place];
    by_places[place] = scale * sum;
    sum -= by_steps[place + 1 < arcs.places ? place + size_ + 1 - arcs.places : place + 1 - arcs.places];
  }
  std::uint32_t place = 0;
  for (double& slope : by_sums_) {
    slope += by_places[place];
    place += multiplier;
    if (place >= size_) place -= size_;
  }
}

// The spectrum of C (range_scores.h) is 1/eigenvalue times a factor that does not depend on the weights. The code keeps
// the worst population fixed, since a change of the population matters only in the second order.
Eigen::VectorXd ArcLaw::gradient(const Eigen::VectorXd& shares) {
  slopes_ = Eigen::VectorXd::Zero(spectra_.rows());
  by_sums_.assign(size_, 0.0);
  for (std::size_t m = 0; m < multipliers_.size(); ++m) {
    for (const RangeScores::Arcs& arcs : scores_.arcs()) add_slopes(m, arcs, shares);
  }
  Eigen::FFT<double> fft;
  std::vector<std::complex<double>> sums;
  std::vector<std::complex<double>> slopes;
  fft.fwd(sums, std::vector<double>(scores_.sums().begin(), scores_.sums().end()));
  fft.fwd(slopes, by_sums_);
  Eigen::VectorXd by_eigenvalue = (powers_.transpose() * shares).cwiseProduct(inverse_.cwiseAbs2()) * (gamma_ - 1);
  for (std::uint32_t k = 1; k <= size_ / 2; ++k) {
    const double mirrored = 2 * k == size_ ? 1 : 2;
    by_eigenvalue[k] -= mirrored * (std::conj(slopes[k]) * sums[k]).real() * inverse_[k] / size_;
  }
  slopes_ += spectra_ * by_eigenvalue;
  return slopes_ * limit_ratio(1 / (gamma_ * gamma_), epsilon_);
}

namespace {

// Returns all multipliers. For a large circle, returns only the small multipliers, the powers of 2 and some of the
// others.
std::vector<std::uint32_t> tried_multipliers(std::uint32_t values) {
  constexpr std::uint32_t kAll = 512;
  std::set<std::uint32_t> chosen;
  for (std::uint32_t j = 1; j <= std::min(values / 2, kAll / 2); ++j) chosen.insert(j);
  for (std::uint32_t j = 1; j <= values / 2; j *= 2) chosen.insert(j);
  const std::uint32_t stride = std::max(1U, values / 2 / (kAll / 2)) | 1U;
  for (std::uint32_t j = 1; j <= values / 2; j += values / 2 <= kAll ? 1 : stride) chosen.insert(j);
  return {chosen.begin(), chosen.end()};
}

// Returns lengths from 1 to half of the values, evenly spread on a logarithmic scale.
std::vector<std::uint32_t> spread_lengths(std::uint32_t values, double ratio) {
  std::vector<std::uint32_t> chosen;
  for (double length = 1; length <= values / 2; length = std::max(std::floor(length) + 1, ratio * length)) {
    chosen.push_back(static_cast<std::uint32_t>(length));
  }
  return chosen;
}

// Keeps the multipliers with the largest weights, and all powers of 2. If the number of answers divides the number of
// places, only some even multipliers tell anything about some of the frequencies. Powers of 2 are enough for these
// frequencies.
void keep_largest(std::size_t most, std::vector<std::uint32_t>& multipliers, Eigen::VectorXd& weights) {
  std::vector<std::size_t> order(multipliers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  constexpr double kLeast = 1e-4;
  const auto weight = [&](std::size_t m) {
    const double least = std::has_single_bit(multipliers[m]) ? kLeast : 0;
    return std::max(least, weights[static_cast<Eigen::Index>(m)]);
  };
  const auto rank = [&](std::size_t m) { return std::pair(std::has_single_bit(multipliers[m]), weight(m)); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  order.resize(std::min(order.size(), most));
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> kept;
  Eigen::VectorXd kept_weights(static_cast<Eigen::Index>(order.size()));
  for (const std::size_t m : order) {
    kept_weights[static_cast<Eigen::Index>(kept.size())] = weight(m);
    kept.push_back(multipliers[m]);
  }
  multipliers = std::move(kept);
  weights = kept_weights / kept_weights.sum();
}

// Adds to `chosen` at most kMost lengths, each with a larger ratio than the next shorter and the next longer length.
// Prefers the lengths with the largest ratios.
void add_peaks(const std::vector<std::uint32_t>& lengths, const Eigen::VectorXd& ratios,
               std::vector<std::uint32_t>& chosen) {
  constexpr std::size_t kMost = 8;
  std::vector<std::pair<double, std::uint32_t>> peaks;
  for (Eigen::Index i = 0; i < ratios.size(); ++i) {
    const bool above = (i == 0 || ratios[i] > ratios[i - 1]) && (i + 1 == ratios.size() || ratios[i] >= ratios[i + 1]);
    if (above) peaks.emplace_back(-ratios[i], lengths[static_cast<std::size_t>(i)]);
  }
  std::sort(peaks.begin(), peaks.end());
  peaks.resize(std::min(peaks.size(), kMost));
  std::set<std::uint32_t> all(chosen.begin(), chosen.end());
  for (const auto& [ratio, length] : peaks) all.insert(length);
  chosen.assign(all.begin(), all.end());
}

}  // namespace

Result<PlannedArcs> plan_arcs(std::uint32_t values, std::uint32_t bits, double epsilon, std::uint32_t answer_bits) {
  const double gamma = truth_of(epsilon, answer_bits);
  constexpr std::uint32_t kMostValues = 1U << 11U;
  constexpr double kWork = 1.2e7;  // the limit on multiplications for all steps of a round
  // With few arcs, each multiplier tells few values apart, so more multipliers are needed.
  const std::size_t most_multipliers = bits <= 2 ? 512 : 160;
  constexpr int kRounds = 3;
  constexpr double kScale = 1U << 20U;
  if (values < 4 || values > kMostValues || bits == 0 || bits > 12 || values >> bits == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "there are no " + std::to_string(bits) + "-bit arcs of " + std::to_string(values) + " values"};
  }
  std::vector<std::uint32_t> multipliers = tried_multipliers(values);
  std::vector<std::uint32_t> lengths = spread_lengths(values, 1.5);
  Eigen::VectorXd weights = ArcLaw(values, bits, gamma, multipliers, epsilon, lengths).uniform_weights();
  keep_largest(most_multipliers, multipliers, weights);
  ArcLaw all(values, bits, gamma, multipliers, epsilon, spread_lengths(values, values <= 512 ? 1 : 1.08));
  Eigen::VectorXd ratios = all.values(weights);
  Eigen::VectorXd best = weights;
  double ratio = ratios.maxCoeff();
  for (int round = 0; round < kRounds; ++round) {
    add_peaks(all.lengths(), ratios, lengths);
    ArcLaw law(values, bits, gamma, multipliers, epsilon, lengths);
    const double work = static_cast<double>(values) * static_cast<double>(multipliers.size() * lengths.size());
    const int steps = static_cast<int>(std::clamp(kWork / work, 1.0, 25.0));
    weights = small_maximum(law, weights, steps);
    ratios = all.values(weights);
    if (ratios.maxCoeff() >= ratio) continue;
    ratio = ratios.maxCoeff();
    best = weights;
  }
  PlannedArcs planned{{values, bits, {}, {}}, ratio};
  for (std::size_t m = 0; m < multipliers.size(); ++m) {
    const double rounded = std::round(kScale * best[static_cast<Eigen::Index>(m)]);
    if (rounded < 1 && !std::has_single_bit(multipliers[m])) continue;
    planned.questions.multipliers.push_back(multipliers[m]);
    planned.questions.weights.push_back(std::max(1U, static_cast<std::uint32_t>(rounded)));
  }
  return planned;
}

}  // namespace hearsay::planner
