// Symbols: J = values, N = places, z = e^{-2πi/N}, w, d, λ as in the header.

#include "aggregator/planner/question_costs.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <utility>

#include "common/channel/questions.h"

namespace hearsay::planner {
namespace {

constexpr std::uint32_t kMostExact = 1U << 11U;    // places; with more places, add_spectra() leaves out small parts
constexpr std::uint32_t kMostPlanned = 1U << 13U;  // the most places of a circle whose multipliers have planned weights

std::uint32_t places_of(QuestionFamily family, std::uint32_t values) {
  switch (family) {
    case QuestionFamily::kParities:
      return 0;
    case QuestionFamily::kRanges:
      return values;
    case QuestionFamily::kPrefixes:
      return 2 * values;
    case QuestionFamily::kThresholds:
      break;
  }
  return 2 * (values - 1);
}

// Returns z^m for m = 0..N-1.
std::vector<std::complex<double>> roots(std::uint32_t places) {
  std::vector<std::complex<double>> list(places);
  for (std::uint32_t m = 0; m < places; ++m) list[m] = std::polar(1.0, -2 * std::numbers::pi * m / places);
  return list;
}

// Returns |ŝ(l)|²/N for each frequency l, where ŝ is the transform of the half-circle s = ±1 on N places.
std::vector<double> half_circle_powers(const std::vector<std::complex<double>>& z) {
  const auto places = static_cast<std::uint32_t>(z.size());
  const std::uint32_t half = (places + 1) / 2;
  std::vector<double> powers(places, 0.0);
  for (std::uint32_t l = 1; l < places; ++l) {
    const auto jump = 2.0 * (1.0 - z[std::uint64_t{l} * half % places]);
    powers[l] = std::norm(jump / (1.0 - z[l])) / places;
  }
  return powers;
}

}  // namespace

bool can_ask(QuestionFamily family, std::uint32_t values) {
  if (family == QuestionFamily::kParities) return true;
  const std::uint32_t most = family == QuestionFamily::kThresholds ? Questions::kMaxPlaces : kMostPlanned;
  return values > 2 && places_of(family, values) <= most;
}

QuestionCosts::QuestionCosts(QuestionFamily family, std::uint32_t values) : family_(family), values_(values) {
  if (family != QuestionFamily::kRanges && family != QuestionFamily::kPrefixes) return;
  places_ = places_of(family, values);
  roots_ = roots(places_);
  const std::uint32_t step = family == QuestionFamily::kPrefixes ? 2 : 1;
  for (std::uint32_t j = 1; j <= places_ / 2; j += step) multipliers_.push_back(j);
  const Eigen::Index columns = family == QuestionFamily::kPrefixes ? (values + 1) / 2 : values / 2;
  counts_ = Eigen::VectorXd::Constant(columns, 2.0 / places_);
  if (2 * frequency(columns - 1) == places_) counts_[columns - 1] = 1.0 / places_;
  add_spectra();
  if (family == QuestionFamily::kPrefixes) constant_ = transform(std::vector<double>(values, 1.0));
}

// For the multiplier j, the half-circle's frequency l becomes the frequency l·j.
void QuestionCosts::add_spectra() {
  std::vector<double> powers = half_circle_powers(roots_);
  const double least = places_ <= kMostExact ? 0 : powers[1] / 1000;
  std::vector<std::uint32_t> parts;
  for (std::uint32_t l = 1; l < places_; ++l) {
    if (powers[l] > least) parts.push_back(l);
  }
  spectra_ = Spectra(static_cast<Eigen::Index>(multipliers_.size()), counts_.size());
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> spectrum(places_);
  for (std::size_t j = 0; j < multipliers_.size(); ++j) {
    for (const std::uint32_t l : parts) spectrum[std::uint64_t{l} * multipliers_[j] % places_] += powers[l];
    for (Eigen::Index c = 0; c < counts_.size(); ++c) {
      const double value = std::exchange(spectrum[frequency(c)], 0.0);
      if (value > 0) entries.emplace_back(static_cast<int>(j), static_cast<int>(c), value);
    }
    for (const std::uint32_t l : parts) spectrum[std::uint64_t{l} * multipliers_[j] % places_] = 0;
  }
  spectra_.setFromTriplets(entries.begin(), entries.end());
}

// Frequencies k and -k are alike. On 2J places functions have g(x+J) = -g(x), and so only odd frequencies.
std::uint32_t QuestionCosts::frequency(Eigen::Index column) const {
  const auto c = static_cast<std::uint32_t>(column);
  return family_ == QuestionFamily::kPrefixes ? 2 * c + 1 : c + 1;
}

// The transform of g is ĝ(k) = Σ_x (g(x) - g(x-1))·z^{kx}/(1 - z^k), with z = e^{-2πi/N}. If g is constant on long
// runs, there are few terms.
Eigen::VectorXcd QuestionCosts::transform(std::span<const double> function) const {
  const std::vector<std::complex<double>>& z = roots_;
  const bool turns = family_ == QuestionFamily::kPrefixes;
  Eigen::VectorXcd result = Eigen::VectorXcd::Zero(counts_.size());
  for (std::uint32_t x = 0; x < places_; ++x) {
    const auto at = [&](std::uint32_t place) {
      return turns && place >= values_ ? -function[place - values_] : function[place];
    };
    const double jump = at(x) - at((x + places_ - 1) % places_);
    if (jump == 0) continue;
    for (Eigen::Index c = 0; c < result.size(); ++c) result[c] += jump * z[std::uint64_t{frequency(c)} * x % places_];
  }
  for (Eigen::Index c = 0; c < result.size(); ++c) result[c] /= 1.0 - z[frequency(c)];
  return result;
}

std::size_t QuestionCosts::add(std::span<const double> function) {
  const Eigen::Index number = energies_.size();
  energies_.conservativeResize(number + 1);
  means_.conservativeResize(number + 1);
  const Eigen::Map<const Eigen::VectorXd> g(function.data(), static_cast<Eigen::Index>(function.size()));
  means_[number] = g.mean();
  if (family_ == QuestionFamily::kParities) {
    const double patterns = std::exp2(std::ceil(std::log2(values_)));
    energies_[number] = (1 - 1 / patterns) * (g.array() - g.mean()).square().sum();
  } else if (family_ == QuestionFamily::kThresholds) {
    // Each of the J-1 thresholds gives the step of g at this threshold.
    const Eigen::Index steps = g.size() - 1;
    energies_[number] = static_cast<double>(steps) / 4 * (g.tail(steps) - g.head(steps)).squaredNorm();
    means_[number] = (g[0] + g[steps]) / 2;
  } else {
    const Eigen::VectorXcd transformed = transform(function);
    if (number >= powers_.rows()) powers_.conservativeResize(2 * number + 8, counts_.size());
    powers_.row(number) = counts_.cwiseProduct(transformed.cwiseAbs2());
    if (family_ == QuestionFamily::kPrefixes) transforms_.push_back(transformed);
  }
  return static_cast<std::size_t>(number);
}

void QuestionCosts::set_weights(const Eigen::VectorXd& weights) {
  if (places_ == 0) return;
  inverse_ = (spectra_.transpose() * weights).cwiseInverse();
  const Eigen::Index count = energies_.size();
  if (family_ == QuestionFamily::kPrefixes) {
    // The mean is free, so this code takes the mean with the least energy.
    const Eigen::VectorXcd direction = counts_.cwiseProduct(inverse_).cwiseProduct(constant_);
    const double square = direction.dot(constant_).real();
    for (Eigen::Index g = 0; g < count; ++g) {
      const Eigen::VectorXcd& transformed = transforms_[static_cast<std::size_t>(g)];
      means_[g] = direction.dot(transformed).real() / square;
      powers_.row(g) = counts_.cwiseProduct((transformed - means_[g] * constant_).cwiseAbs2());
    }
  }
  energies_ = powers_.topRows(count) * inverse_;
}

Eigen::VectorXd QuestionCosts::gradient(const Eigen::VectorXd& factors) const {
  const Eigen::VectorXd pull = powers_.topRows(energies_.size()).transpose() * factors;
  return spectra_ * pull.cwiseProduct(inverse_.cwiseAbs2());
}

QuestionSpec QuestionCosts::spec(const Eigen::VectorXd& weights) const {
  constexpr double kTotal = 1U << 24U;
  constexpr double kMostLost = 2e-3;
  if (family_ == QuestionFamily::kParities) return ParityQuestions{};
  if (family_ == QuestionFamily::kThresholds) return CircleQuestions{places_of(family_, values_), 1, {1}, {1}};
  std::vector<std::size_t> order(multipliers_.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto weight = [&](std::size_t j) { return weights[static_cast<Eigen::Index>(j)]; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight(a) < weight(b); });
  const Eigen::VectorXd information = spectra_.transpose() * weights;
  Eigen::VectorXd lost = Eigen::VectorXd::Zero(information.size());
  std::vector<bool> kept(multipliers_.size(), true);
  for (const std::size_t j : order) {
    kept[j] = false;
    for (Spectra::InnerIterator entry(spectra_, static_cast<Eigen::Index>(j)); entry; ++entry) {
      const double more = lost[entry.col()] + weight(j) * entry.value();
      kept[j] = kept[j] || more > kMostLost * information[entry.col()];
    }
    if (kept[j]) continue;
    for (Spectra::InnerIterator entry(spectra_, static_cast<Eigen::Index>(j)); entry; ++entry) {
      lost[entry.col()] += weight(j) * entry.value();
    }
  }
  CircleQuestions circle{places_, 1, {}, {}};
  for (std::size_t j = 0; j < multipliers_.size(); ++j) {
    if (!kept[j]) continue;
    circle.multipliers.push_back(multipliers_[j]);
    circle.weights.push_back(std::max(1U, static_cast<std::uint32_t>(std::lround(weight(j) * kTotal))));
  }
  return circle;
}

}  // namespace hearsay::planner
