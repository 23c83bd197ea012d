// Finds weights of public questions that make the largest variance of many queries small.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

namespace hearsay::planner {

// The largest variance, over populations, of an estimate of the fraction ω that satisfies a predicate. `on` is the
// largest E[contribution²] of a value that satisfies the predicate. `off` is the largest E[contribution²] of a value
// that does not satisfy the predicate. The contributions average to ω - mean. At ω = share the variance is ω·on +
// (1-ω)·off - (ω - mean)².
struct WorstShare {
  double variance;
  double share;
};
inline WorstShare worst_share(double on, double off, double mean) {
  const double share = std::clamp(mean + (on - off) / 2, 0.0, 1.0);
  return {share * on + (1 - share) * off - (share - mean) * (share - mean), share};
}

// Returns the probability of a true answer of `bits` bits (common/channel/sampled.h), up to rounding.
inline double truth_of(double epsilon, std::uint32_t bits) {
  return std::expm1(epsilon) / (std::exp(epsilon) + std::ldexp(1.0, static_cast<int>(bits)) - 1);
}

// Returns positive weights that make the largest element of `law.values(weights)` small. The method need not find the
// minimum; values() shows how good the result is. `blocks` gives the sizes of the blocks of consecutive weights that
// sum to 1. `law.gradient(shares)` must be the gradient of Σ share·value at the weights of the last call of values().
// Method: descent of the p-norm of the values, for each p in `powers`. Each step multiplies each weight by a factor.
template <typename Law>
Eigen::VectorXd small_maximum(Law& law, Eigen::VectorXd weights, std::span<const Eigen::Index> blocks, int steps,
                              std::span<const double> powers) {
  constexpr double kLargestFactor = 1.5;  // the largest logarithm of a weight's factor in one step
  for (const double p : powers) {
    double norm = 0;
    Eigen::VectorXd slope;
    const auto measure = [&](const Eigen::VectorXd& values) {
      const double largest = values.maxCoeff();
      return largest * std::pow((values / largest).array().pow(p).sum(), 1 / p);
    };
    const auto accept = [&](const Eigen::VectorXd& values) {
      norm = measure(values);
      slope = law.gradient(Eigen::VectorXd((values / norm).array().pow(p - 1))) / norm;
    };
    accept(law.values(weights));
    double rate = 0.3;
    for (int step = 0; step < steps && rate > 1e-4; ++step) {
      Eigen::VectorXd next = weights;
      for (Eigen::Index first = 0; const Eigen::Index size : blocks) {
        auto block = next.segment(first, size);
        const auto slopes = slope.segment(first, size);
        const double mean = block.dot(slopes);
        block.array() *= (-rate * (slopes.array() - mean)).max(-kLargestFactor).min(kLargestFactor).exp();
        if (size > 0) block /= block.sum();
        first += size;
      }
      const Eigen::VectorXd values = law.values(next);
      if (measure(values) < norm) {
        weights = next;
        accept(values);
        rate *= 1.3;
      } else {
        rate *= 0.4;
      }
    }
  }
  return weights;
}

// Does the same as the function above for a single block: all weights together sum to 1.
template <typename Law>
Eigen::VectorXd small_maximum(Law& law, Eigen::VectorXd weights, int steps) {
  constexpr std::array kPowers{60.0, 240.0};
  const std::array all{weights.size()};
  return small_maximum(law, std::move(weights), all, steps, kPowers);
}

}  // namespace hearsay::planner
