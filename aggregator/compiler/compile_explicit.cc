// Symbols: u = a record's vector; f = the query; m̂ = the estimate of the mean of u over the reporters; ω̂ = the
// estimate of the fraction with f = 1. For the class f = b: n_b = number of vectors; S_b = sum of the vectors; μ_b =
// mean of ⟨u,v⟩. δ = S_1/n_1 - S_0/n_0.

#include "aggregator/compiler/compile_explicit.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "aggregator/compiler/affine_solution.h"
#include "aggregator/compiler/cells.h"
#include "aggregator/compiler/truth_table.h"
#include "common/arrangement/arrangement.h"

namespace hearsay::compiler {
namespace {

struct ClassSums {
  std::array<std::int64_t, 2> count{0, 0};
  std::array<std::vector<std::int64_t>, 2> sum;
};

ClassSums sums_of(const std::vector<std::uint8_t>& truth, const Explicit& vectors, Work& work) {
  ClassSums sums;
  for (auto& sum : sums.sum) sum.assign(vectors.dimension(), 0);
  for (std::size_t x = 0; x < truth.size(); ++x) {
    work.spend(vectors.dimension());
    const std::span<const std::int8_t> u = vectors.vector_of(x);
    std::vector<std::int64_t>& sum = sums.sum[truth[x]];
    for (std::size_t j = 0; j < u.size(); ++j) sum[j] += u[j];
    ++sums.count[truth[x]];
  }
  return sums;
}

// Returns n_0·n_1·δ (symbols: top of file), computed in integers, so that comparing with 0 needs no tolerance. Both
// products are below 2^20·2^27, since n_b <= 2^20 and entries of S_b are at most 127·2^20.
std::vector<double> scaled_difference(const ClassSums& sums) {
  std::vector<double> difference;
  for (std::size_t j = 0; j < sums.sum[0].size(); ++j) {
    difference.push_back(static_cast<double>(sums.count[0] * sums.sum[1][j] - sums.count[1] * sums.sum[0][j]));
  }
  return difference;
}

double dot(std::span<const double> v, std::span<const std::int8_t> u) {
  double sum = 0;
  for (std::size_t j = 0; j < u.size(); ++j) sum += v[j] * u[j];
  return sum;
}

double squared_norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double entry : v) sum += entry * entry;
  return sum;
}

// Returns the estimator (19) of Aldà and Simon 2014 in the direction v: ω̂ = (⟨m̂,v⟩ - μ_0)/(μ_1 - μ_0). ⟨v,δ⟩ must not
// be 0. Symbols: top of file.
LinearQuery in_direction(const std::vector<double>& v, const std::vector<std::uint8_t>& truth, const ClassSums& sums,
                         const Explicit& vectors, Work& work) {
  std::array<double, 2> mean{0, 0};
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t j = 0; j < v.size(); ++j) mean[b] += v[j] * static_cast<double>(sums.sum[b][j]);
    mean[b] /= static_cast<double>(sums.count[b]);
  }
  const double difference = mean[1] - mean[0];
  LinearQuery result;
  result.guarantee = Guarantee::kAverageCase;
  result.offset = -mean[0] / difference;
  for (std::size_t j = 0; j < v.size(); ++j) {
    if (v[j] != 0) result.weights.push_back({static_cast<std::uint32_t>(j), v[j] / difference});
  }
  double farthest = 0;
  for (std::size_t x = 0; x < truth.size(); ++x) {
    work.spend(v.size());
    const double off = (dot(v, vectors.vector_of(x)) - mean[truth[x]]) / difference;
    result.class_variance[truth[x]] += off * off / static_cast<double>(sums.count[truth[x]]);
    farthest = std::max(farthest, std::abs(off));
  }
  result.margin =
      0.5 * std::abs(difference) / std::sqrt(squared_norm(v) * static_cast<double>(vectors.largest_square()));
  constexpr double kRounding = 1e-9;
  if (farthest <= kRounding) {  // the linear form equals f for every record
    result.guarantee = Guarantee::kWorstCase;
    result.class_variance = {0, 0};
  }
  return result;
}

// Returns the variance of one report's contribution: the variance of its noise, and the variance of the form over the
// records of one class, whichever class has the larger variance.
double report_variance(const LinearQuery& linear, double noise_variance) {
  double squares = 0;
  for (const LinearQuery::Weight& weight : linear.weights) squares += weight.value * weight.value;
  return squares * noise_variance + std::max(linear.class_variance[0], linear.class_variance[1]);
}

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

Error invisible(const std::string& why) { return {ErrorCode::kQueryNotVisible, why}; }

}  // namespace

std::vector<std::uint8_t> truth_of(const Query& query, const Schema& schema, Work& work) {
  std::vector<Cells> axes = distinguished_cells(query, schema, work);
  const std::uint64_t records = schema.universe_size().value();
  Cost cost = TruthTable::cost(query, schema, axes);
  cost.steps += records * schema.size();
  cost.bytes += records;
  work.foresee(cost, "ask a shorter query");
  const TruthTable table = TruthTable::create(query, schema, std::move(axes), work);
  std::vector<std::size_t> place_of_attribute(schema.size(), table.axes().size());
  for (std::size_t i = 0; i < table.axes().size(); ++i) place_of_attribute[table.axes()[i].attribute] = i;
  std::vector<std::uint8_t> truth(records);
  for (std::uint64_t x = 0; x < records; ++x) {
    work.spend(schema.size());
    std::size_t cell = 0;
    std::uint64_t rest = x;
    for (std::size_t i = schema.size(); i-- > 0; rest /= schema[i].size()) {
      const std::size_t axis = place_of_attribute[i];
      if (axis == table.axes().size()) continue;
      cell += table.axes()[axis].cell_of[rest % schema[i].size()] * table.stride(axis);
    }
    truth[x] = table.table()[cell];
  }
  return truth;
}

Result<LinearQuery> compile_explicit(const std::vector<std::uint8_t>& truth, const Schema& schema,
                                     const Explicit& vectors, const ExplicitOptions& options, Work& work) {
  const ClassSums sums = sums_of(truth, vectors, work);
  if (sums.count[0] == 0 || sums.count[1] == 0) {
    LinearQuery result;
    result.offset = sums.count[1] == 0 ? 0 : 1;
    return result;
  }
  const std::vector<double> difference = scaled_difference(sums);
  if (squared_norm(difference) == 0) {
    return invisible(
        "records that satisfy the query and records that fail it have the same average vector, so the query's margin "
        "is 0: no linear function of the task's vectors can tell how many there are of each");
  }
  const std::optional<std::vector<double>> of_class = class_vector(truth, schema, vectors, work);
  if (options.printed_scheme && of_class) {
    if (inner(*of_class, difference) == 0) {
      return invisible(
          "the vector that the task gives for this query has the margin 0: create a task with another vector");
    }
    return in_direction(*of_class, truth, sums, vectors, work);
  }
  if (const auto solution = affine_solution(truth, vectors, work)) {
    LinearQuery exact = in_direction(*solution, truth, sums, vectors, work);
    if (exact.guarantee == Guarantee::kWorstCase) return exact;
  }
  LinearQuery least_noise = in_direction(difference, truth, sums, vectors, work);
  if (!of_class || inner(*of_class, difference) == 0) return least_noise;
  LinearQuery given = in_direction(*of_class, truth, sums, vectors, work);
  const double noise = options.noise_variance;
  return report_variance(given, noise) < report_variance(least_noise, noise) ? given : least_noise;
}

}  // namespace hearsay::compiler
