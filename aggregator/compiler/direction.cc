#include "aggregator/compiler/direction.h"

#include <algorithm>
#include <cmath>

namespace hearsay::compiler {
namespace {

// An entry of δ (direction.h) below 1e-12 of the largest entry counts as zero: rounding must not give a weight to a
// coordinate that does not matter. If all entries are below 1e-12, δ counts as 0. A query with so small a δ would need
// more than 10^20 reports.
constexpr double kZero = 1e-12;

}  // namespace

double WeightVector::squared_norm() const {
  double sum = 0;
  for (const auto& weight : weights) sum += weight.value * weight.value;
  return sum;
}

Result<WeightVector> maximum_margin(const ClassLaws& laws, const Schema& schema, const Literals& literals,
                                    std::span<const double> noise_variance) {
  std::vector<LinearQuery::Weight> difference;  // δ
  double largest = 0;
  for (const AttributeLaw& law : laws) {
    const AttributeKind kind = schema[law.attribute].kind();
    const std::vector<double> mean0 = coordinate_means(kind, law.probability[0]);
    const std::vector<double> mean1 = coordinate_means(kind, law.probability[1]);
    const std::size_t offset = literals.blocks()[law.attribute].offset;
    for (std::size_t j = 0; j < mean0.size(); ++j) {
      const double delta = mean1[j] - mean0[j];
      difference.push_back({static_cast<std::uint32_t>(offset + j), delta});
      largest = std::max(largest, std::abs(delta));
    }
  }
  if (largest <= kZero) {
    return Error{ErrorCode::kQueryNotVisible,
                 "records that satisfy the query and records that fail it have the same average literals: no linear "
                 "function of the literals can tell how many there are of each"};
  }
  WeightVector vector;
  for (const auto& [coordinate, delta] : difference) {
    if (std::abs(delta) <= kZero * largest) continue;
    vector.weights.push_back({coordinate, delta / noise_variance[coordinate]});
  }
  return vector;
}

std::vector<AttributeScore> scores_of(const WeightVector& vector, const Schema& schema, const Literals& literals) {
  std::vector<AttributeScore> scores;
  auto next = vector.weights.begin();
  for (std::uint32_t attribute = 0; next != vector.weights.end(); ++attribute) {
    const AttributeBlock& block = literals.blocks()[attribute];
    std::vector<double> weights(block.size, 0);
    bool any = false;
    for (; next != vector.weights.end() && next->coordinate < block.offset + block.size; ++next) {
      weights[next->coordinate - block.offset] = next->value;
      any = true;
    }
    if (any) scores.push_back({attribute, value_scores(schema[attribute].kind(), weights)});
  }
  return scores;
}

}  // namespace hearsay::compiler
