#include "aggregator/compiler/single_attribute.h"

#include <cmath>

#include "common/query/value_set.h"

namespace hearsay::compiler {
namespace {

std::vector<double> indicator(const Predicate& predicate, std::uint32_t size) {
  std::vector<double> f(size, 0);
  for (const auto& [first, last] : predicate.values) {
    for (std::uint32_t v = first; v <= last; ++v) f[v] = 1;
  }
  return f;
}

// Weights g and offset with offset + ⟨a(v), g⟩ = f(v). The indicators of a categorical attribute have the constant sum
// 2 - J, so that g_v = (f(v) - κ)/2 and offset = κ + Σg serve for any κ; Σ g_v²·variance_v is least at the mean of f
// weighted with the variances. The thermometer coordinate t alone changes between the values t and t+1, so that there
// g_t = (f(t+1) - f(t))/2, and offset = f(0) + Σg.
double solve(AttributeKind kind, std::span<const double> f, std::span<const double> variance, std::vector<double>& g) {
  double constant = f[0];
  if (kind == AttributeKind::kCategorical) {
    double total = 0;
    double satisfying = 0;
    for (std::size_t v = 0; v < f.size(); ++v) {
      total += variance[v];
      satisfying += variance[v] * f[v];
    }
    constant = satisfying / total;
    for (const double value : f) g.push_back((value - constant) / 2);
  } else {
    for (std::size_t t = 0; t + 1 < f.size(); ++t) g.push_back((f[t + 1] - f[t]) / 2);
  }
  double sum = 0;
  for (const double weight : g) sum += weight;
  return constant + sum;
}

}  // namespace

LinearQuery compile_exactly(const Predicate& predicate, const Schema& schema, const Literals& literals,
                            std::span<const double> noise_variance) {
  const Attribute& attribute = schema[predicate.attribute];
  const AttributeBlock& block = literals.blocks()[predicate.attribute];
  std::vector<double> g;
  LinearQuery result;
  result.offset = solve(attribute.kind(), indicator(predicate, attribute.size()),
                        noise_variance.subspan(block.offset, block.size), g);
  double squares = 0;
  for (std::size_t j = 0; j < g.size(); ++j) {
    if (g[j] != 0) result.weights.push_back({static_cast<std::uint32_t>(block.offset + j), g[j]});
    squares += g[j] * g[j];
  }
  result.guarantee = Guarantee::kWorstCase;
  // γ̃ = ½⟨δ,g⟩/(√d·‖g‖), and ⟨δ,g⟩, the difference of the classes' mean values, is 1.
  result.margin = 0.5 / std::sqrt(static_cast<double>(literals.dimension()) * squares);
  return result;
}

}  // namespace hearsay::compiler
