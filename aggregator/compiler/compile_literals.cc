#include "aggregator/compiler/compile_literals.h"

#include <algorithm>
#include <cmath>

#include "aggregator/compiler/direction.h"
#include "aggregator/compiler/model.h"
#include "aggregator/compiler/paper_direction.h"
#include "common/base/try.h"
#include "common/query/value_set.h"

namespace hearsay::compiler {
namespace {

Result<void> check(const CompileOptions& options, const Literals& literals) {
  if (options.direction == Direction::kPaper && !options.reference.empty()) {
    return Error{ErrorCode::kUnsupported,
                 "a task with the calibration `paper` has the uniform distribution as its reference, as in the paper: "
                 "leave the sample out"};
  }
  const std::size_t expected = literals.dimension() + (options.direction == Direction::kPaper ? 1 : 0);
  if (options.noise_variance.size() != expected) {
    return Error{ErrorCode::kInvalidArgument, "there must be one noise variance for each coordinate"};
  }
  for (const double variance : options.noise_variance) {
    if (!(variance > 0) || !std::isfinite(variance)) {
      return Error{ErrorCode::kInvalidArgument, "a noise variance must be positive and finite"};
    }
  }
  return {};
}

// Checks that the classes' means differ by more than six standard errors, which are 0 for exact means. A direction that
// comes from a sample is checked on another sample. So if the true means are equal, the query passes with a probability
// of about 1e-9.
Result<void> check_visible(const ScoreMoments& moments) {
  constexpr double kStandardErrors = 6;
  const double error = std::sqrt(moments.mean_variance[0] + moments.mean_variance[1]);
  if (moments.mean[1] - moments.mean[0] > kStandardErrors * error) return {};
  return Error{
      ErrorCode::kQueryNotVisible,
      "in the sample, the records that satisfy the query and the records that fail it have the same average literals"};
}

// Returns the estimator (19) of Aldà and Simon 2014: (⟨m̂,v⟩ - μ₀)/(μ₁ - μ₀). Here μ_b = E[⟨a,v⟩ | f=b] are the
// classes' means, and m̂ is the estimate of the mean of a over the reporters.
LinearQuery normalised(const WeightVector& vector, const ScoreMoments& moments) {
  const double difference = moments.mean[1] - moments.mean[0];
  LinearQuery result;
  result.guarantee = Guarantee::kAverageCase;
  result.offset = -moments.mean[0] / difference;
  for (const auto& [coordinate, value] : vector.weights) result.weights.push_back({coordinate, value / difference});
  for (std::size_t b = 0; b < 2; ++b) {
    result.class_variance[b] = moments.variance[b] / (difference * difference);
    result.class_members[b] = moments.members[b];
    result.class_mean_variance[b] = moments.mean_variance[b] / (difference * difference);
  }
  return result;
}

std::vector<double> indicator(const Predicate& predicate, std::uint32_t size) {
  std::vector<double> f(size, 0);
  for (const auto& [first, last] : predicate.values) {
    for (std::uint32_t v = first; v <= last; ++v) f[v] = 1;
  }
  return f;
}

// Finds weights g, and returns the offset, with offset + ⟨a(v), g⟩ = f(v) for every value v of an attribute, where a(v)
// are the attribute's coordinates. Categorical, with J values: the indicators have the constant sum 2 - J, so g_v =
// (f(v) - κ)/2 and offset = κ + Σg are a solution for any κ. Σ g_v²·variance_v is least if κ is the mean of f weighted
// with the variances. Range: only the thermometer coordinate t changes between the values t and t+1, so g_t = (f(t+1) -
// f(t))/2 and offset = f(0) + Σg.
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

// Returns the weights of least noise with which the query equals offset + ⟨a(x), g⟩ for every record x. Every query on
// one attribute has such weights. A query that depends on two or more attributes has no such weights, since a sum of
// two functions that vary takes at least three values.
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
  // The margin is γ̃(f) = ½⟨δ,g⟩/(√d·‖g‖) with δ = E[a|f=1] - E[a|f=0], for d coordinates a. Here ⟨δ,g⟩ = 1, since
  // offset + ⟨a(x), g⟩ is f(x).
  result.margin = 0.5 / std::sqrt(static_cast<double>(literals.dimension()) * squares);
  return result;
}

Result<LinearQuery> compile_maximum_margin(const Study& study, const Schema& schema, const Literals& literals,
                                           std::span<const double> noise_variance, Work& work) {
  if (const auto* predicate = std::get_if<Predicate>(&study.form)) {
    return compile_exactly(*predicate, schema, literals, noise_variance);
  }
  HEARSAY_TRY(const ClassLaws class_laws, laws(*study.model, work));
  HEARSAY_TRY(const WeightVector vector, maximum_margin(class_laws, schema, literals, noise_variance));
  HEARSAY_TRY(const ScoreMoments score_moments, moments(*study.model, scores_of(vector, schema, literals), work));
  HEARSAY_CHECK_OK(check_visible(score_moments));
  LinearQuery result = normalised(vector, score_moments);
  // The margin is γ̃(f) = ½⟨δ,v⟩/(√d·‖v‖) in the paper's unit vectors a(x)/√d, where ⟨δ,v⟩ is the difference of the
  // classes' means.
  result.margin = 0.5 * (score_moments.mean[1] - score_moments.mean[0]) /
                  std::sqrt(static_cast<double>(literals.dimension()) * vector.squared_norm());
  return result;
}

// Returns true if the linear form equals the query on every record. The query depends on one attribute, so the function
// compares the two on that attribute's values.
bool is_exact(const Predicate& predicate, std::span<const AttributeScore> scores, const ScoreMoments& moments) {
  constexpr double kRounding = 1e-9;  // smaller differences are rounding
  if (scores.size() != 1 || scores.front().attribute != predicate.attribute) return false;
  const std::vector<double>& score = scores.front().score;
  for (std::uint32_t v = 0; v < score.size(); ++v) {
    const double value = (score[v] - moments.mean[0]) / (moments.mean[1] - moments.mean[0]);
    if (std::abs(value - (query::contains(predicate.values, v) ? 1 : 0)) > kRounding) return false;
  }
  return true;
}

// In the homogeneous embedding (24), normalised, a record is (a(x), √d)/√(2d) and the query is (v, -t/√d)/√(‖v‖² +
// t²/d). The last coordinate is √d for every record, so its weight -t/√d adds only noise. The code keeps the last
// coordinate because the paper's scheme has this coordinate.
Result<LinearQuery> compile_paper(const Study& study, const Schema& schema, const Literals& literals, Work& work) {
  HEARSAY_TRY(const WeightVector vector, separator(study.form, schema, literals, work));
  const std::vector<AttributeScore> scores = scores_of(vector, schema, literals);
  HEARSAY_TRY(const ScoreMoments score_moments, moments(*study.model, scores, work));
  HEARSAY_CHECK_OK(check_visible(score_moments));
  LinearQuery result = normalised(vector, score_moments);
  const double difference = score_moments.mean[1] - score_moments.mean[0];
  const auto d = static_cast<double>(literals.dimension());
  if (vector.threshold != 0) {
    result.weights.push_back(
        {static_cast<std::uint32_t>(literals.dimension()), -vector.threshold / std::sqrt(d) / difference});
  }
  // The margin is γ̃(f) = ½⟨v',δ'⟩, where v' is the query's unit vector and δ' the difference of the classes' means of
  // the records' unit vectors.
  const double norm = std::sqrt(vector.squared_norm() + vector.threshold * vector.threshold / d);
  result.margin = 0.5 * difference / (std::sqrt(2 * d) * norm);
  const auto* predicate = std::get_if<Predicate>(&study.form);
  if (predicate != nullptr && is_exact(*predicate, scores, score_moments)) {
    result.guarantee = Guarantee::kWorstCase;
    result.class_variance = {0, 0};
  }
  return result;
}

Result<LinearQuery> compile_studied(const Study& study, const Schema& schema, const Literals& literals,
                                    const CompileOptions& options, Work& work) {
  if (const auto* constant = std::get_if<bool>(&study.form)) {
    LinearQuery result;
    result.offset = *constant ? 1 : 0;
    return result;
  }
  if (options.direction == Direction::kPaper) return compile_paper(study, schema, literals, work);
  return compile_maximum_margin(study, schema, literals, options.noise_variance, work);
}

}  // namespace

Result<CompiledQuery> compile_literals(const Query& query, const Schema& schema, const Literals& literals,
                                       const CompileOptions& options, Work& work) {
  HEARSAY_CHECK_OK(check(options, literals));
  HEARSAY_TRY(Study found, study(query, schema, options.sample_key, options.reference, work));
  HEARSAY_TRY(LinearQuery linear, compile_studied(found, schema, literals, options, work));
  return CompiledQuery{std::move(linear), std::move(found)};
}

}  // namespace hearsay::compiler
