// `sampled`: g = the query's weights; I_j = information of one report about coordinate j; s_G(x) = Σ_{j in G}
// g_j·a_j(x)/I_j; L(x) = offset + Σ g_j·a_j(x). For worst-case queries L(x) = f(x). For other queries the mean of L in
// each class is f. A report of group G contributes φ = γ·Σ_{j in G} g_j·χ_j(answer)/I_j to the estimate. Here p_G is
// the probability of group G, γ the probability of a true answer, and χ_j(answer) the answer's value for coordinate j.
// E[φ|x] = γ²·s_G(x), so offset + Σ_G p_G·E[φ|x] = L(x), and
//   E φ² = (1-γ)γ²·q_G + γ³·E[s_G²], q_G = Σ_{j in G} (g_j/I_j)².
// Each group has its expected number of reports, by people drawn anew from the population. So
//   n·Var = Σ_G p_G·((1-γ)γ²·q_G + γ³·E[s_G²] - γ⁴·E[s_G]²).
// The target is the fraction ω_n among the n reporters. Given the people, the mean of the estimate is the mean of L
// over the people. So if L = f, n·Var[estimate - ω_n] is less than n·Var[estimate] by ω(1-ω). The same holds in an
// (f,ω,n)-random database, whose ω_n does not vary.
//
// Both variances, with and without ω(1-ω), are concave in the population. E[s_G]² is convex. By Jensen's inequality,
// and since Σ p_G <= 1, Σ_G p_G·γ⁴·E[s_G]² is (Σ_G p_G·γ²·E[s_G])² = (ω-offset)² plus a convex function. So the largest
// variance is the maximum of a concave function over a simplex. In general, no single record attains this maximum.
//
// `sampled` on `characters` with other questions than parities of one bit: see question_variance.cc.
//
// `laplace`: the noise Σ g²v is the same for everybody. The differences between the records of a class add
// class_variance[f(x)]. Drawing the people anew adds ω(1-ω).

#include "aggregator/planner/report_variance.h"

#include <algorithm>
#include <cmath>

#include "aggregator/planner/character_variance.h"
#include "aggregator/planner/literal_variance.h"
#include "aggregator/planner/question_variance.h"
#include "aggregator/planner/strategy_variance.h"
#include "aggregator/tails/query_error.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

// Returns max over ω of ω·v₁ + (1-ω)·v₀ + ω(1-ω).
double worst_drawn(double v0, double v1) {
  const double omega = std::clamp((1 + v1 - v0) / 2, 0.0, 1.0);
  return omega * v1 + (1 - omega) * v0 + omega * (1 - omega);
}

ReportVariance laplace_variance(const LaplaceChannel& channel, const compiler::LinearQuery& linear) {
  const double noise = tails::noise_variance(channel, linear);
  const double among = noise + std::max(linear.class_variance[0], linear.class_variance[1]);
  double influence = 0;
  double fourth = 0;  // the fourth cumulant of discrete Laplace noise of variance v is v + 3v²
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    const double variance = channel.noise_variance(weight.coordinate);
    influence += 2 * std::abs(weight.value) * static_cast<double>(channel.bound(weight.coordinate));
    fourth += std::pow(weight.value, 4) * variance * (1 + 3 * variance);
  }
  return {.average = among,
          .worst = noise + worst_drawn(linear.class_variance[0], linear.class_variance[1]),
          .worst_among_reporters = among,
          .influence = influence,
          .kurtosis = fourth / (noise * noise),
          .exact = true};
}

}  // namespace

ReportVariance report_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear) {
  if (!linear.terms.empty()) return QuestionVariance(task, linear).worst();
  if (linear.weights.empty()) return {0, 0, 0, 0, 0, true};  // a constant query needs no report
  const auto* laplace = std::get_if<LaplaceChannel>(&task.channel().kind());
  if (laplace != nullptr) return laplace_variance(*laplace, linear);
  if (std::holds_alternative<StrategyChannel>(task.channel().kind())) return strategy_variance(task, linear);
  const bool characters = std::holds_alternative<Characters>(task.arrangement().kind());
  return characters ? CharacterVariance(task, linear).of(linear) : literal_variance(task, query, linear);
}

namespace {

constexpr std::size_t kFewCells = std::size_t{1} << 8U;

bool is_sampled_on_characters(const Task& task) {
  return std::holds_alternative<Characters>(task.arrangement().kind()) &&
         std::holds_alternative<SampledChannel>(task.channel().kind());
}

}  // namespace

ReportVariance quick_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear) {
  if (!is_sampled_on_characters(task) || linear.weights.empty()) return report_variance(task, query, linear);
  const CharacterVariance variance(task, linear);
  return variance.cube().size() > kFewCells ? variance.bound(linear) : variance.of(linear);
}

ReportVariance average_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear) {
  if (!is_sampled_on_characters(task) || linear.weights.empty()) return report_variance(task, query, linear);
  const auto& characters = std::get<Characters>(task.arrangement().kind());
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  double average = 0;
  double information = 0;
  std::uint64_t end = 0;  // the place after the last coordinate on the present set
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    if (weight.coordinate >= end) {
      const std::vector<std::uint32_t> on = characters.attributes(weight.coordinate);
      const CharacterIndex::Ranks ranks = characters.coordinates_on(on);
      end = ranks.first + ranks.size;
      information = channel.information(on);
    }
    average += weight.value * weight.value / information;
  }
  return {average, average, average, 0, 0, false};
}

}  // namespace hearsay::planner
