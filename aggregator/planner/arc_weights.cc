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

// Frequencies that no question tells of have eigenvalues that are 0 but for rounding.
double inverse_of(double eigenvalue) { return eigenvalue > 1e-12 ? 1 / eigenvalue : 0; }

}  // namespace

ArcLaw::ArcLaw(std::uint32_t values, std::uint32_t bits, double gamma, std::vector<std::uint32_t> multipliers,
               double epsilon, std::vector<std::uint32_t> lengths)
    : size_(values),
      answers_(std::ldexp(1.0, static_cast<int>(bits))),
      multipliers_(std::move(multipliers)),
      epsilon_(epsilon),
      gamma_(gamma),
      lengths_(std::move(lengths)) {
  const std::uint32_t answers = 1U << bits;
  const std::uint32_t longer = size_ % answers;
  arcs_.push_back({size_ / answers, answers - longer});
  if (longer > 0) arcs_.push_back({size_ / answers + 1, longer});
  spectra_.resize(static_cast<Eigen::Index>(multipliers_.size()), size_ / 2 + 1);
  for (std::size_t m = 0; m < multipliers_.size(); ++m) {
    spectra_.row(static_cast<Eigen::Index>(m)) = spectrum(multipliers_[m]).transpose();
  }
  const auto rows = static_cast<Eigen::Index>(lengths_.size());
  for (Table* table : {&solution_, &places_, &scores_, &work_}) table->resize(rows, size_);
}

// Of the matrix K·Pr[x and x + d are in one arc] - 1, for one multiplier.
Eigen::VectorXd ArcLaw::spectrum(std::uint32_t multiplier) const {
  std::vector<double> row(size_);
  for (std::uint32_t x = 0; x < size_; ++x) {
    const std::uint32_t place = x * multiplier % size_;
    const std::uint32_t apart = std::min(place, size_ - place);
    double together = 0;  // turns for which both places are in one arc
    for (const Arcs& arcs : arcs_) together += arcs.places > apart ? arcs.count * (arcs.places - apart) : 0;
    row[x] = answers_ * together / size_ - 1;
  }
  Eigen::FFT<double> fft;
  std::vector<std::complex<double>> spectrum;
  fft.fwd(spectrum, row);
  Eigen::VectorXd result(size_ / 2 + 1);
  for (Eigen::Index k = 0; k < result.size(); ++k)
    result[k] = std::max(0.0, spectrum[static_cast<std::size_t>(k)].real());
  result[0] = 0;
  return result;
}

// |f̂|² of a range, over J, at the frequencies 0 to J/2, with those above that mirror them.
Eigen::VectorXd ArcLaw::power(std::uint32_t length) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(size_ / 2 + 1);
  for (std::uint32_t k = 1; k <= size_ / 2; ++k) {
    const double angle = std::numbers::pi * k / size_;
    const double size = std::sin(angle * length) / std::sin(angle);
    result[k] = size * size / size_ * (2 * k == size_ ? 1 : 2);
  }
  return result;
}

// The smallest maximum of Σ power/eigenvalue, nearly: the lengths' prices and the weights follow one another.
Eigen::VectorXd ArcLaw::uniform_weights() const {
  constexpr int kSteps = 100;
  Eigen::MatrixXd powers(static_cast<Eigen::Index>(lengths_.size()), size_ / 2 + 1);
  for (std::size_t i = 0; i < lengths_.size(); ++i)
    powers.row(static_cast<Eigen::Index>(i)) = power(lengths_[i]).transpose();
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(spectra_.rows(), 1.0 / static_cast<double>(spectra_.rows()));
  Eigen::VectorXd prices = Eigen::VectorXd::Ones(powers.rows());
  for (int step = 0; step < kSteps; ++step) {
    Eigen::VectorXd inverse = (spectra_.transpose() * weights).unaryExpr(&inverse_of);
    const Eigen::VectorXd pull = spectra_ * (powers.transpose() * prices).cwiseProduct(inverse.cwiseAbs2());
    weights = weights.cwiseProduct(pull.cwiseSqrt());
    weights /= weights.sum();
    inverse = (spectra_.transpose() * weights).unaryExpr(&inverse_of);
    const Eigen::VectorXd variances = powers * inverse;
    prices = prices.array() * (variances / variances.maxCoeff()).array().pow(2 / (1 + 0.02 * step));
  }
  return weights;
}

void ArcLaw::solve(const Eigen::VectorXd& weights) {
  weights_ = weights;
  eigenvalues_ = spectra_.transpose() * weights;
  Eigen::FFT<double> fft;
  std::vector<double> row(size_);
  std::vector<std::complex<double>> spectrum;
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    for (std::uint32_t x = 0; x < size_; ++x) row[x] = x < lengths_[i] ? 1 : 0;
    fft.fwd(spectrum, row);
    for (std::uint32_t k = 0; k < size_; ++k) spectrum[k] *= inverse_of(eigenvalues_[std::min(k, size_ - k)]);
    fft.inv(row, spectrum);
    for (std::uint32_t x = 0; x < size_; ++x) solution_(static_cast<Eigen::Index>(i), x) = row[x];
  }
}

// At each place p: the sum over the `places` columns up to p, cyclically.
void ArcLaw::sum_before(const Table& table, std::uint32_t places, Table& sums) const {
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(table.rows());
  for (std::uint32_t back = 1; back < places; ++back) sum += table.col(size_ - back);
  for (std::uint32_t p = 0; p < size_; ++p) {
    sum += table.col(p);
    sums.col(p) = sum;
    sum -= table.col((p + size_ + 1 - places) % size_);
  }
}

// Sets scores_: column u is the score of the arc whose last place is u + places - 1 … that starts at u.
void ArcLaw::set_scores(std::uint32_t multiplier, std::uint32_t places) {
  places_.setZero();
  for (std::uint32_t x = 0; x < size_; ++x) places_.col(x * multiplier % size_) += solution_.col(x);
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(places_.rows());
  for (std::uint32_t p = 0; p < places; ++p) sum += places_.col(p);
  for (std::uint32_t u = 0; u < size_; ++u) {
    scores_.col(u) = answers_ * sum;
    sum += places_.col((u + places) % size_) - places_.col(u);
  }
}

void ArcLaw::choose_worst(const Table& squares, const Eigen::ArrayXd& uniform, Eigen::VectorXd& values) {
  const double scale = 1 / (gamma_ * gamma_);
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const auto row = squares.row(static_cast<Eigen::Index>(i));
    Eigen::Index on = 0;
    Eigen::Index off = 0;
    const double most_on = row.head(lengths_[i]).maxCoeff(&on);
    const double most_off = row.tail(size_ - lengths_[i]).maxCoeff(&off);
    const double rest = uniform[static_cast<Eigen::Index>(i)];
    const WorstShare worst =
        worst_share(scale * (most_on + rest), scale * (most_off + rest), static_cast<double>(lengths_[i]) / size_);
    worst_[i] = {worst.share, static_cast<std::uint32_t>(on), static_cast<std::uint32_t>(off) + lengths_[i]};
    values[static_cast<Eigen::Index>(i)] = limit_ratio(worst.variance, epsilon_);
  }
}

Eigen::VectorXd ArcLaw::values(const Eigen::VectorXd& weights) {
  solve(weights);
  Table squares = Table::Zero(places_.rows(), size_);
  Eigen::ArrayXd uniform = Eigen::ArrayXd::Zero(places_.rows());
  for (std::size_t m = 0; m < multipliers_.size(); ++m) {
    for (const Arcs& arcs : arcs_) {
      set_scores(multipliers_[m], arcs.places);
      scores_ = scores_.square();
      const double weight = weights[static_cast<Eigen::Index>(m)] * arcs.count / size_;
      uniform += (1 - gamma_) * weight / answers_ * scores_.rowwise().sum();
      sum_before(scores_, arcs.places, work_);
      for (std::uint32_t x = 0; x < size_; ++x)
        squares.col(x) += gamma_ * weight * work_.col(x * multipliers_[m] % size_);
    }
  }
  worst_.resize(lengths_.size());
  Eigen::VectorXd values(places_.rows());
  choose_worst(squares, uniform, values);
  return values;
}

// The probability, times the length's share, that an arc from each place is answered: parts(i, u) for people of the
// worst population, with these arcs and this multiplier.
void ArcLaw::add_parts(std::uint32_t multiplier, const Arcs& arcs, const Eigen::VectorXd& shares, Table& parts) const {
  for (Eigen::Index i = 0; i < parts.rows(); ++i) {
    const Worst& worst = worst_[static_cast<std::size_t>(i)];
    const double scale = shares[i] * arcs.count / size_;
    parts.row(i).setConstant(scale * (1 - gamma_) / answers_);
    for (const auto& [value, part] : {std::pair(worst.on, worst.share), std::pair(worst.off, 1 - worst.share)}) {
      const std::uint32_t place = value * multiplier % size_;
      for (std::uint32_t back = 0; back < arcs.places; ++back) {
        parts(i, (place + size_ - back) % size_) += scale * gamma_ * part;
      }
    }
  }
}

// The value is Σ_j w_j·Σ_u parts_j(u)·B_j(u)², and B depends on the weights by way of h = M⁺(f - mean), too. The worst
// population stands still to first order.
Eigen::VectorXd ArcLaw::gradient(const Eigen::VectorXd& shares) {
  Eigen::VectorXd slopes = Eigen::VectorXd::Zero(spectra_.rows());
  Table by_solution = Table::Zero(places_.rows(), size_);
  Table parts(places_.rows(), size_);
  for (std::size_t m = 0; m < multipliers_.size(); ++m) {
    const auto index = static_cast<Eigen::Index>(m);
    for (const Arcs& arcs : arcs_) {
      set_scores(multipliers_[m], arcs.places);
      add_parts(multipliers_[m], arcs, shares, parts);
      parts *= scores_;
      slopes[index] += (parts * scores_).sum();
      sum_before(parts, arcs.places, work_);
      const double scale = 2 * answers_ * weights_[index];
      for (std::uint32_t x = 0; x < size_; ++x) by_solution.col(x) += scale * work_.col(x * multipliers_[m] % size_);
    }
  }
  Eigen::FFT<double> fft;
  std::vector<double> row(size_);
  std::vector<std::complex<double>> solution;
  std::vector<std::complex<double>> slope;
  Eigen::VectorXd by_eigenvalue = Eigen::VectorXd::Zero(size_ / 2 + 1);
  for (Eigen::Index i = 0; i < places_.rows(); ++i) {
    for (std::uint32_t x = 0; x < size_; ++x) row[x] = solution_(i, x);
    fft.fwd(solution, row);
    for (std::uint32_t x = 0; x < size_; ++x) row[x] = by_solution(i, x);
    fft.fwd(slope, row);
    for (std::uint32_t k = 1; k <= size_ / 2; ++k) {
      const double mirrored = 2 * k == size_ ? 1 : 2;
      by_eigenvalue[k] -= mirrored * (std::conj(slope[k]) * solution[k]).real() * inverse_of(eigenvalues_[k]) / size_;
    }
  }
  slopes += spectra_ * by_eigenvalue;
  return slopes * limit_ratio(1 / (gamma_ * gamma_), epsilon_);
}

namespace {

// All multipliers, or, of a large circle, the small ones, the powers of 2 and some of the others.
std::vector<std::uint32_t> tried_multipliers(std::uint32_t values) {
  constexpr std::uint32_t kAll = 512;
  std::set<std::uint32_t> chosen;
  for (std::uint32_t j = 1; j <= std::min(values / 2, kAll / 2); ++j) chosen.insert(j);
  for (std::uint32_t j = 1; j <= values / 2; j *= 2) chosen.insert(j);
  const std::uint32_t stride = std::max(1U, values / 2 / (kAll / 2)) | 1U;
  for (std::uint32_t j = 1; j <= values / 2; j += values / 2 <= kAll ? 1 : stride) chosen.insert(j);
  return {chosen.begin(), chosen.end()};
}

// Lengths from 1 to half of the values, evenly on a logarithmic scale.
std::vector<std::uint32_t> spread_lengths(std::uint32_t values, double ratio) {
  std::vector<std::uint32_t> chosen;
  for (double length = 1; length <= values / 2; length = std::max(std::floor(length) + 1, ratio * length)) {
    chosen.push_back(static_cast<std::uint32_t>(length));
  }
  return chosen;
}

// The multipliers with the largest weights, and those weights. Powers of 2 are kept in any case: where the number of
// answers divides that of the places, they alone tell of some of the frequencies.
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

// Adds the lengths that are worse than the lengths beside them, the worst ones first.
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
  constexpr double kWork = 1.2e7;  // of all steps of a round
  // With few parts, many multipliers are needed to tell values apart in as many ways.
  const std::size_t most_multipliers = bits <= 2 ? 512 : 160;
  constexpr int kRounds = 3;
  constexpr double kScale = 1U << 20U;
  if (values < 4 || values > kMostValues || bits == 0 || bits > 12 || values >> bits == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "no " + std::to_string(bits) + "-bit arcs of " + std::to_string(values) + " values"};
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
