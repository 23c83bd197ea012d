// Finds the largest value of a concave function of the population, with an upper bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace hearsay::planner {

// No population has a value above `value`. If `exact`, some population comes near to `value`: the difference is at most
// 0.01 % of the larger of `value` and the given scale.
struct Maximum {
  double value;
  bool exact;
};

// Finds the largest value of F over populations. A population is a mixture of `model.vertices()` vertices. F must be
// concave and at most quadratic in the mixture. As F is concave, its value at any mixture plus its steepest slope
// towards a vertex is an upper bound of F. `scale` sets the precision: see Maximum.
//
// Two kinds of steps alternate. Each step has the length that raises F most. Replicator steps move from all falling
// vertices to the rising vertices, in proportion to their present parts. Pairwise conditional gradients move from one
// vertex to the steepest vertex, which may have no part yet.
//
// The type M is linear in the vertices' parts. `Model` has these functions:
//     M moments(const std::vector<double>& parts) const;
//     double slopes(const M&, std::vector<double>& out) const;  F, and its derivative towards every vertex
//     double bend(const M& step) const;                         F(at + t·step) = F(at) + t·slope + t²·bend
template <class Model>
Maximum largest(const Model& model, double scale, std::size_t max_steps) {
  constexpr double kTolerance = 1e-4;
  const std::size_t count = model.vertices();
  std::vector<double> parts(count, 1.0 / static_cast<double>(count));
  std::vector<double> slopes(count);
  std::vector<double> direction(count);
  double bound = std::numeric_limits<double>::infinity();
  for (std::size_t step = 0;; ++step) {
    const double value = model.slopes(model.moments(parts), slopes);
    const auto steepest = static_cast<std::size_t>(std::max_element(slopes.begin(), slopes.end()) - slopes.begin());
    const double best = std::max(slopes[steepest], 0.0);
    bound = std::min(bound, value + best);
    if (bound - value <= kTolerance * std::max(bound, scale)) return {bound, true};
    if (step == max_steps) return {bound, false};
    const double mean = std::inner_product(parts.begin(), parts.end(), slopes.begin(), 0.0);  // 0, apart from rounding
    std::size_t from = steepest;
    for (std::size_t v = 0; v < count; ++v) {
      direction[v] = step % 2 == 0 ? parts[v] * (slopes[v] - mean) : 0;
      const auto gain = [&](std::size_t u) { return parts[u] * (slopes[steepest] - slopes[u]); };
      if (gain(v) > gain(from)) from = v;
    }
    if (step % 2 == 1) {
      direction[steepest] += 1;
      direction[from] -= 1;
    }
    double slope = 0;
    double length = std::numeric_limits<double>::infinity();  // the length at which a part becomes 0
    for (std::size_t v = 0; v < count; ++v) {
      slope += direction[v] * slopes[v];
      if (direction[v] < 0) length = std::min(length, parts[v] / -direction[v]);
    }
    // If all vertices with a part have the same slope, this step gains nothing.
    if (!(slope > 0)) continue;
    const double bend = model.bend(model.moments(direction));
    if (bend < 0) length = std::min(length, slope / (-2 * bend));
    for (std::size_t v = 0; v < count; ++v) parts[v] = std::max(parts[v] + length * direction[v], 0.0);
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    for (double& part : parts) part /= sum;
  }
}

}  // namespace hearsay::planner
