#include "aggregator/planner/strategy_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "aggregator/compiler/strategy_decoder.h"
#include "aggregator/compiler/worst_people_scores.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/strategy_variance.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/report/report.h"

namespace hearsay::planner {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::size_t strategy_report_bytes(const Task& task) {
  const Report report{ReportId{}, task.spec().task_start, std::vector<std::uint8_t>(task.channel().payload_size())};
  std::vector<std::uint8_t> bytes;
  append_report(report, bytes);
  return bytes.size();
}

bool is_query(const VectorXd& function) { return ((function.array() == 0) || (function.array() == 1)).all(); }

class StrategyPlan {
 public:
  StrategyPlan(const Task& task, const ExplicitWorkload& workload, const Target& target)
      : task_(task), workload_(workload), target_(target), decoder_(std::get<StrategyChannel>(task.channel().kind())) {}

  // Returns the queries with the largest variances under linear scores, the largest first. These queries are likely to
  // have the largest variances with scores of their own, too.
  Result<std::vector<Index>> dearest(std::size_t most) const {
    constexpr Index kAtOnce = 512;
    std::vector<double> worst;
    for (Index from = 0; from < workload_.functions.cols(); from += kAtOnce) {
      const MatrixXd functions =
          workload_.functions.middleCols(from, std::min(kAtOnce, workload_.functions.cols() - from));
      HEARSAY_TRY(const MatrixXd scores, decoder_.scores(functions));
      const MatrixXd moments = decoder_.second_moments(scores);
      for (Index i = 0; i < functions.cols(); ++i) {
        worst.push_back(weight(from + i) * compiler::largest_variance(moments.col(i), functions.col(i)));
      }
    }
    std::vector<Index> order(worst.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return worst[static_cast<std::size_t>(a)] > worst[static_cast<std::size_t>(b)];
    });
    order.resize(std::min(most, order.size()));
    return order;
  }

  Result<ReportVariance> variance(Index query) const {
    const VectorXd function = workload_.functions.col(query);
    compiler::LinearQuery form;
    form.best_for_worst_people = is_query(function);
    HEARSAY_TRY(const VectorXd scores, compiler::query_scores(decoder_, form, function));
    return strategy_variances(function, scores, decoder_.second_moments(scores)).front();
  }

  double weight(Index query) const { return workload_.weights[static_cast<std::size_t>(query)]; }
  double ratio_of(double variance) const { return limit_ratio(variance, task_.epsilon().approximate()); }

  Result<WorkloadPlan> whole(const std::function<bool()>& stopped) const {
    WorkloadPlan result{compiler::Guarantee::kWorstCase, 0, false, true, 0, 0, 0, "", strategy_report_bytes(task_)};
    const double queries = std::accumulate(workload_.counts.begin(), workload_.counts.end(), 0.0);
    double among = 0;
    double average = 0;
    double worst = 0;
    for (Index query = 0; query < workload_.functions.cols(); ++query) {
      if (stopped && stopped()) return Error{ErrorCode::kCancelled, "the plan of the strategy was stopped"};
      HEARSAY_TRY(const ReportVariance of, variance(query));
      average += weight(query) * of.average * workload_.counts[static_cast<std::size_t>(query)] / queries;
      worst = std::max(worst, weight(query) * of.worst);
      result.influence = std::max(result.influence, std::sqrt(weight(query)) * of.influence);
      if (weight(query) * of.worst_among_reporters < among) continue;
      among = weight(query) * of.worst_among_reporters;
      HEARSAY_TRY(result.users_worst, users_for(among, 0, target_));
      result.near_normal = near_normal(of, result.users_worst);
      result.worst_query = workload_.names[static_cast<std::size_t>(query)];
    }
    HEARSAY_TRY(result.users_average, users_for(std::min(average, among), 0, target_));
    result.limit_ratio = ratio_of(worst);
    return result;
  }

 private:
  const Task& task_;
  const ExplicitWorkload& workload_;
  const Target& target_;
  compiler::StrategyDecoder decoder_;
};

}  // namespace

Result<WorkloadPlan> plan_strategy(const Task& task, const ExplicitWorkload& workload, const Target& target) {
  return StrategyPlan(task, workload, target).whole({});
}

Result<std::optional<WorkloadPlan>> plan_good_strategy(const Task& task, const ExplicitWorkload& workload,
                                                       const Target& target, double most,
                                                       const std::function<bool()>& stopped) {
  constexpr std::size_t kTriedFirst = 32;
  const StrategyPlan plan(task, workload, target);
  if (std::isfinite(most)) {
    HEARSAY_TRY(const std::vector<Index> first, plan.dearest(kTriedFirst));
    for (const Index query : first) {
      HEARSAY_TRY(const ReportVariance variance, plan.variance(query));
      if (plan.ratio_of(plan.weight(query) * variance.worst) > most) return std::optional<WorkloadPlan>();
    }
  }
  HEARSAY_TRY(WorkloadPlan whole, plan.whole(stopped));
  return std::optional<WorkloadPlan>(std::move(whole));
}

}  // namespace hearsay::planner
