#include "aggregator/estimator/error_law.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>

namespace hearsay::estimator {
namespace {

// The period of a Fourier series, in standard deviations.
constexpr double kPeriod = 24;

// The answers to one question, grouped: answers that move the estimate by the same amount are one element.
struct Grouped {
  std::vector<double> values;
  std::vector<double> uniform;  // the probability that a uniform answer is in the group
  std::vector<double> counts;
};

Grouped grouped(std::span<const double> phi, std::span<const double> counts) {
  std::vector<std::size_t> order(phi.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t k) { return phi[k]; });
  const double rounding = 1e-9 * std::max(std::abs(phi[order.front()]), std::abs(phi[order.back()]));
  Grouped result;
  for (const std::size_t k : order) {
    if (result.values.empty() || phi[k] > result.values.back() + rounding) {
      result.values.push_back(phi[k]);
      result.uniform.push_back(0);
      result.counts.push_back(0);
    }
    result.uniform.back() += 1 / static_cast<double>(phi.size());
    result.counts.back() += counts[k];
  }
  return result;
}

// Returns how many of the people asked have each true answer. The numbers are near the unbiased estimates, none is
// negative, and their sum is `reports`. All numbers are whole, because the points of an error lattice depend on them.
std::vector<double> truths(const Grouped& answers, double reports, double gamma, int moved) {
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t v = 0; v < answers.values.size(); ++v) {
    shares.push_back(std::max(0.0, answers.counts[v] - (1 - gamma) * answers.uniform[v] * reports));
    sum += shares.back();
  }
  double before = 0;
  double rounded = 0;
  for (double& share : shares) {
    before += sum > 0 ? share / sum * reports : 0;
    share = std::round(before) - rounded;
    rounded += share;
  }
  const double change = std::clamp(static_cast<double>(moved), -shares.back(), shares.front());
  shares.front() -= change;
  shares.back() += change;
  return shares;
}

double laplace_variance(double scale) {
  const double sinh = std::sinh(0.5 / scale);
  return 0.5 / (sinh * sinh);
}

}  // namespace

void ErrorLaw::add_answers(std::span<const double> phi, std::span<const double> counts, double gamma, double asked,
                           int moved) {
  const Grouped answers = grouped(phi, counts);
  const double reports = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (answers.values.size() < 2 || reports == 0) return;
  const std::vector<double> of_truth = truths(answers, reports, gamma, moved);
  const double noise_mean =
      std::inner_product(answers.values.begin(), answers.values.end(), answers.uniform.begin(), 0.0);
  const double truth_mean =
      std::inner_product(answers.values.begin(), answers.values.end(), of_truth.begin(), 0.0) / reports;
  const double mean = gamma * truth_mean + (1 - gamma) * noise_mean;
  const auto add = [&](double count, std::span<const double> shares) {
    if (count <= 0) return;
    Draws draws{.count = count, .values = answers.values, .probabilities = {}, .centre = 0};
    double own = 0;
    for (std::size_t v = 0; v < shares.size(); ++v) {
      draws.probabilities.push_back(gamma * shares[v] + (1 - gamma) * answers.uniform[v]);
      own += draws.probabilities[v] * draws.values[v];
    }
    for (double& value : draws.values) value -= own;
    draws.centre = mean - own;
    draws_.push_back(std::move(draws));
  };
  double drawn = reports;
  std::vector<double> shares(answers.values.size(), 0);
  for (std::size_t v = 0; v < shares.size(); ++v) {
    const double given = std::round(of_truth[v] * asked);
    shares[v] = 1;
    add(given, shares);
    shares[v] = 0;
    drawn -= given;
  }
  for (std::size_t v = 0; v < shares.size(); ++v) shares[v] = of_truth[v] / reports;
  add(drawn, shares);
}

void ErrorLaw::add_draws(std::span<const double> values, std::span<const double> counts, bool squares_known) {
  const double reports = std::accumulate(counts.begin(), counts.end(), 0.0);
  Draws draws{.count = reports, .values = {}, .probabilities = {}, .centre = 0, .squares_known = squares_known};
  const double mean = std::inner_product(values.begin(), values.end(), counts.begin(), 0.0) / reports;
  for (std::size_t v = 0; v < values.size(); ++v) {
    draws.values.push_back(values[v] - mean);
    draws.probabilities.push_back(counts[v] / reports);
  }
  draws.mean = mean;
  draws_.push_back(std::move(draws));
}

double ErrorLaw::variance() const {
  double sum = gaussian_;
  for (const Laplace& term : laplace_) {
    sum += static_cast<double>(term.reports) * term.weight * term.weight * laplace_variance(term.scale);
  }
  for (const Draws& draws : draws_) {
    for (std::size_t v = 0; v < draws.values.size(); ++v) {
      sum += draws.count * draws.probabilities[v] * draws.values[v] * draws.values[v];
    }
  }
  return sum;
}

// Returns by how much the estimated variance rises with the value: Cov[Σ (φ - μ)², Σφ]/Var Σφ. φ is a report's effect
// on the value, and μ the mean of φ over the N reports that were asked the same question. If squares_known, -(Σφ)²/N
// takes the place of Σ (φ - μ)².
double ErrorLaw::slope() const {
  double sum = 0;
  for (const Draws& draws : draws_) {
    for (std::size_t v = 0; v < draws.values.size(); ++v) {
      const double deviation = draws.values[v] - draws.centre;
      const double square = draws.squares_known ? -2 * draws.mean * draws.values[v] : deviation * deviation;
      sum += draws.count * draws.probabilities[v] * square * draws.values[v];
    }
  }
  const double total = variance();
  return total > 0 ? sum / total : 0;
}

// Returns true if skewness, excess kurtosis and slope are small: each changes the normal law's error probability of 5 %
// by at most about a tenth of itself. In an Edgeworth expansion, the changes at this probability are 0.008·kurtosis and
// at most 0.25·skewness².
bool ErrorLaw::is_near_normal(double falls) const {
  constexpr double kSmall = 0.02;
  double third = 0;
  double fourth = 0;
  for (const Draws& draws : draws_) {
    double second = 0;
    double sum = 0;
    for (std::size_t v = 0; v < draws.values.size(); ++v) {
      const double square = draws.values[v] * draws.values[v];
      second += draws.probabilities[v] * square;
      third += draws.count * draws.probabilities[v] * square * draws.values[v];
      sum += draws.probabilities[v] * square * square;
    }
    fourth += draws.count * (sum - 3 * second * second);
  }
  for (const Laplace& term : laplace_) {
    const double noise = laplace_variance(term.scale);
    fourth += static_cast<double>(term.reports) * std::pow(term.weight, 4) * noise * (1 + 3 * noise);
  }
  const double square = variance();
  const double bend = slope() - falls;
  return third * third < kSmall * square * square * square && std::abs(fourth) < 5 * kSmall * square * square &&
         bend * bend < kSmall * square;
}

// The interval contains the truth if the error Z satisfies |Z| <= quantile·√(V + b·Z), where V is the expected variance
// and b its slope in Z. The set of these errors is an interval, too.
double ErrorLaw::coverage(double quantile, double estimated_variance, double falls) const {
  const double square = quantile * quantile;
  const double middle = square * (slope() - falls) / 2;
  const double half = std::sqrt(middle * middle + square * estimated_variance);
  const double low = middle - half;
  const double high = middle + half;
  // The law may spread far more than the estimated variance says. If the period of the Fourier series is too short, the
  // series counts large errors as small errors.
  const double spread = std::sqrt(std::max(estimated_variance, variance()));
  const double unit = std::max(std::sqrt(estimated_variance), spread / 16);
  // If a standard deviation has more than kFine lattice steps, the lattice hardly changes the coverage.
  constexpr double kFine = 16;
  if (const double step = lattice_step(); step * kFine > unit) return probability_on_lattice(step, low, high, spread);
  if (is_near_normal(falls)) return std::erf(quantile * std::sqrt(estimated_variance / variance() / 2));
  return probability(low, high, spread, unit / 32);
}

double ErrorLaw::lattice_step() const {
  // The most lattice steps from one value to the next. If more steps would be needed, the values count as having no
  // lattice.
  constexpr double kMostSteps = 16;
  if (gaussian_ > 0) return 0;
  double step = std::numeric_limits<double>::infinity();
  const auto each_distance = [&](const auto& visit) {
    for (const Laplace& term : laplace_) visit(std::abs(term.weight));
    for (const Draws& draws : draws_) {
      for (std::size_t v = 1; v < draws.values.size(); ++v) visit(draws.values[v] - draws.values[v - 1]);
    }
  };
  each_distance([&](double distance) { step = std::min(step, distance); });
  bool is_lattice = std::isfinite(step);
  each_distance([&](double distance) {
    const double multiple = distance / step;
    is_lattice = is_lattice && multiple <= kMostSteps && std::abs(multiple - std::round(multiple)) < 1e-6 * multiple;
  });
  return is_lattice ? step : 0;
}

ErrorLaw::LogTransform ErrorLaw::log_transform(double s) const {
  LogTransform result{-gaussian_ * s * s / 2, 0};
  for (const Laplace& term : laplace_) {
    const double quotient = std::sin(s * term.weight / 2) / std::sinh(0.5 / term.scale);
    result.modulus -= static_cast<double>(term.reports) * std::log1p(quotient * quotient);
  }
  for (const Draws& draws : draws_) {
    std::complex<double> sum = 0;
    for (std::size_t v = 0; v < draws.values.size(); ++v) {
      sum += draws.probabilities[v] * std::polar(1.0, s * draws.values[v]);
    }
    result.modulus += draws.count * std::log(std::abs(sum));
    result.angle += draws.count * std::arg(sum);
  }
  return result;
}

// Computes the probabilities of the lattice's points as a Fourier sum. The probability of errors beyond the period is
// below 1/12² (Chebyshev), and the sum counts most of these errors outside the interval.
double ErrorLaw::probability_on_lattice(double step, double low, double high, double spread) const {
  double origin = 0;  // a point of the lattice
  for (const Draws& draws : draws_) origin += draws.count * draws.values.front();
  const double first = std::ceil((low - origin) / step);
  const double last = std::floor((high - origin) / step);
  if (last < first) return 0;
  const double points = last - first + 1;
  const double period = std::ceil(std::max({kPeriod * spread / step, 2 * points, 8.0}));
  const double middle = origin + step * (first + last) / 2;
  double sum = points;
  for (double k = 1; 2 * k <= period; ++k) {
    const double s = 2 * std::numbers::pi * k / (period * step);
    const LogTransform at_s = log_transform(s);
    const double kernel = std::sin(s * step * points / 2) / std::sin(s * step / 2);
    const double twice = 2 * k < period ? 2 : 1;
    sum += twice * std::exp(at_s.modulus) * std::cos(at_s.angle - s * middle) * kernel;
  }
  return std::clamp(sum / period, 0.0, 1.0);
}

// Integrates the Fourier series of the density. Ends the series where the transform of the law or of the blur is
// negligible.
double ErrorLaw::probability(double low, double high, double spread, double blur) const {
  constexpr double kNegligible = -12;  // natural logarithm of the smallest transform that matters
  const double period = kPeriod * spread;
  double sum = (high - low) / period;
  for (double i = 1;; ++i) {
    const double s = 2 * std::numbers::pi * i / period;
    const double of_blur = -s * s * blur * blur / 2;
    if (of_blur < kNegligible) break;
    const LogTransform at_s = log_transform(s);
    const double modulus = at_s.modulus + of_blur;
    if (modulus < kNegligible) continue;
    const double at_ends = std::sin(s * high - at_s.angle) - std::sin(s * low - at_s.angle);
    sum += std::exp(modulus) * at_ends * 2 / (s * period);
  }
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace hearsay::estimator
