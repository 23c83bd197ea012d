// Symbols: α, β = target; λ = the noise's scale in the paper's units; g, γ̃ = the compiled query's weights and margin.

#include "aggregator/planner/plan.h"

#include <algorithm>
#include <cmath>

#include "aggregator/compiler/compile.h"
#include "aggregator/tails/distributions.h"
#include "aggregator/tails/paper.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/report/report.h"

namespace hearsay::planner {
namespace {

constexpr double kMostUsers = 0x1p53;

// Returns ‖x‖² for a record's vector x. The paper divides x by ‖x‖. The square is d, or 2d for the homogeneous
// embedding (24). For explicit vectors, returns the largest square.
double squared_norm(const Task& task, const LaplaceChannel& channel) {
  if (const auto* vectors = std::get_if<Explicit>(&task.arrangement().kind())) {
    return static_cast<double>(vectors->largest_square());
  }
  const auto d = static_cast<double>(task.arrangement().dimension());
  return channel.calibration() == LaplaceCalibration::kPaper ? 2 * d : d;
}

// Returns λ = √(Σ v_j² t_j²)/‖x‖, where v = g/‖g‖, g are the query's weights, and t_j are the scales of the noise. If
// all scales are t, λ = t/‖x‖.
double paper_scale(const Task& task, const LaplaceChannel& channel, const compiler::LinearQuery& query) {
  double weights = 0;
  double noise = 0;
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    const double term = weight.value * channel.scale(weight.coordinate).approximate();
    weights += weight.value * weight.value;
    noise += term * term;
  }
  return std::sqrt(noise / weights / squared_norm(task, channel));
}

std::size_t report_size(const Task& task) {
  const Report report{ReportId{}, task.spec().task_start, std::vector<std::uint8_t>(task.channel().payload_size())};
  std::vector<std::uint8_t> bytes;
  append_report(report, bytes);
  return bytes.size();
}

// Returns nothing unless the channel adds Laplace noise. For a constant query, returns 1 user.
Result<std::optional<std::uint64_t>> users_by_theorem7(const Task& task, const compiler::LinearQuery& linear,
                                                       const Target& target) {
  const auto* channel = std::get_if<LaplaceChannel>(&task.channel().kind());
  if (channel == nullptr) return std::optional<std::uint64_t>();
  if (linear.weights.empty()) return std::optional<std::uint64_t>(1);
  const tails::PaperScheme scheme{paper_scale(task, *channel, linear), linear.margin};
  HEARSAY_TRY(const std::uint64_t users, tails::theorem7_users(scheme, target.alpha, target.beta));
  return std::optional(users);
}

using Variance = ReportVariance (*)(const Task&, const Query&, const compiler::LinearQuery&);

Result<PlannedQuery> plan_query(const Task& task, const Query& query, const Target& target, Variance variance_of) {
  compiler::Work work;
  HEARSAY_TRY(const compiler::CompiledQuery compiled, compiler::compile(task, query, work));
  const compiler::LinearQuery& linear = compiled.linear;
  const ReportVariance variance = variance_of(task, query, linear);
  const double sampled = std::max(linear.class_mean_variance[0], linear.class_mean_variance[1]);
  HEARSAY_TRY(const std::uint64_t users, users_for(variance.worst_among_reporters, sampled, target));
  HEARSAY_TRY(const std::uint64_t users_average,
              users_for(std::min(variance.average, variance.worst_among_reporters), sampled, target));
  HEARSAY_TRY(const std::optional<std::uint64_t> users_paper, users_by_theorem7(task, linear, target));
  return PlannedQuery{.query = query,
                      .guarantee = linear.guarantee,
                      .margin = linear.margin,
                      .variance = variance,
                      .sampled = sampled,
                      .limit_ratio = limit_ratio(variance.worst, task.epsilon().approximate()),
                      .users_exact = users,
                      .users_average = users_average,
                      .users_paper = users_paper,
                      .report_bytes = report_size(task)};
}

std::vector<Result<PlannedQuery>> plan_queries(const Task& task, const std::vector<Query>& queries,
                                               const Target& target, Variance variance_of) {
  std::vector<Result<PlannedQuery>> lines;
  lines.reserve(queries.size());
  const Result<void> valid = check_target(target);
  for (const Query& query : queries) {
    lines.push_back(valid ? plan_query(task, query, target, variance_of) : Result<PlannedQuery>(valid.error()));
  }
  return lines;
}

}  // namespace

Result<void> check_target(const Target& target) {
  if (target.alpha > 0 && target.alpha < 1 && target.beta > 0 && target.beta < 1) return {};
  return Error{ErrorCode::kInvalidArgument, "alpha and beta must lie strictly in (0, 1)"};
}

double limit_ratio(double worst, double epsilon) { return worst / tails::one_query_limit(epsilon); }

Result<std::uint64_t> users_for(double variance, double sampled, const Target& target) {
  HEARSAY_TRY(const double z, tails::normal_upper_quantile(target.beta / 2));
  const double left = target.alpha * target.alpha / (z * z) - sampled;
  if (!(left > 0) && sampled > 0) {
    return Error{
        ErrorCode::kLimitExceeded,
        "the means of the query's classes are sampled, and too inexact for this alpha with any number of users"};
  }
  const double users = std::ceil(variance / left);
  if (!(users <= kMostUsers)) {
    return Error{
        ErrorCode::kOverflow,
        "more than 2^53 users would be needed: allow a larger error (alpha), take a larger epsilon, or plan a task "
        "that asks more often for what the query needs"};
  }
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(users));
}

bool near_normal(const ReportVariance& variance, std::uint64_t users) {
  constexpr double kMuchKurtosis = 0.1;
  return variance.kurtosis <= kMuchKurtosis * static_cast<double>(users);
}

std::vector<std::string> remarks_on_users(bool at_most, bool near_normal) {
  std::vector<std::string> remarks;
  if (at_most) {
    remarks.emplace_back(
        "at most: the users for the worst case and limit_ratio rest on an upper bound of the variance");
  }
  if (!near_normal) {
    remarks.emplace_back(
        "few users: one report weighs too much for the normal quantile, so errors above alpha can be more frequent "
        "than "
        "beta");
  }
  return remarks;
}

std::vector<Result<PlannedQuery>> plan(const Task& task, const std::vector<Query>& queries, const Target& target) {
  return plan_queries(task, queries, target, report_variance);
}

std::vector<Result<PlannedQuery>> quick_plan(const Task& task, const std::vector<Query>& queries,
                                             const Target& target) {
  return plan_queries(task, queries, target, quick_variance);
}

std::vector<Result<PlannedQuery>> average_plan(const Task& task, const std::vector<Query>& queries,
                                               const Target& target) {
  return plan_queries(task, queries, target, average_variance);
}

}  // namespace hearsay::planner
