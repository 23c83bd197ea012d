// Computes the losses of the mechanisms of aggregator/central/laplace from their stated laws.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "aggregator/central/laplace/laplace_mechanism.h"
#include "aggregator/central/laplace/metric_mechanism.h"

namespace hearsay::central {

// Returns ‖first - second‖₁/t exactly, with the scale t of the noise. The result is the largest log-ratio of outputs.
inline Rational loss(const LaplaceMechanism& mechanism, std::span<const std::int64_t> first,
                     std::span<const std::int64_t> second) {
  if (first.size() != second.size()) throw std::invalid_argument("statistics of different dimensions");
  Rational sum;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto low = static_cast<std::uint64_t>(std::min(first[i], second[i]));
    const auto high = static_cast<std::uint64_t>(std::max(first[i], second[i]));
    sum = sum.plus(Rational::create(high - low, 1).value()).value();
  }
  return sum.divided_by(mechanism.scale()).value();
}

// Returns the natural logarithm of Pr[output | statistic] for outputs within the clamp.
inline double log_probability(const LaplaceMechanism& mechanism, std::span<const std::int64_t> statistic,
                              std::span<const std::int64_t> output) {
  double sum = 0;
  for (std::size_t i = 0; i < statistic.size(); ++i) sum += mechanism.noise().log_probability(output[i] - statistic[i]);
  return sum;
}

inline double log_probability(const MetricMechanism& mechanism, std::uint32_t value, std::uint32_t output) {
  const auto log_weight = [&](std::uint32_t point) {
    return -mechanism.rate().approximate() * static_cast<double>(mechanism.distance(value, point));
  };
  double sum = 0;
  for (std::uint32_t y = 0; y < mechanism.points(); ++y) sum += std::exp(log_weight(y));
  return log_weight(output) - std::log(sum);
}

}  // namespace hearsay::central
