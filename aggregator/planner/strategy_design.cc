#include "aggregator/planner/strategy_design.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "aggregator/compiler/worst_people_scores.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/strategy_matrix.h"
#include "aggregator/planner/strategy_outputs.h"
#include "aggregator/planner/strategy_plan.h"
#include "common/base/try.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

constexpr std::size_t kMostRecords = 256;

std::size_t most_outputs(std::size_t records) { return StrategyChannel::kMaxEntries / records; }

// Returns how many outputs the search keeps. About as many as records are enough, but some more are needed on the way.
std::size_t working_outputs(std::size_t records) {
  constexpr std::size_t kPerRecord = 16;
  return std::min(most_outputs(records), kPerRecord * records);
}

Result<Task> strategy_task(const TaskSpec& base, const StrategySets& strategy) {
  TaskSpec spec = base;
  spec.arrangement = CharactersSpec{static_cast<std::uint32_t>(base.schema.size())};
  HEARSAY_TRY(spec.channel, rounded_strategy(strategy, base.epsilon));
  return Task::create(std::move(spec));
}

// Returns the strategy with weights that add up to a probability of 1. Returns nothing if no factor achieves this for
// every record: then outputs are missing.
std::optional<StrategySets> scaled(StrategySets strategy, double epsilon) {
  constexpr double kRounding = 1e-9;
  const double factor = std::exp(epsilon);
  std::vector<double> sums(strategy.sets.front().size(), 0);
  for (std::size_t k = 0; k < strategy.sets.size(); ++k) {
    for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += strategy.weights[k] * (strategy.sets[k][x] ? factor : 1);
  }
  for (const double sum : sums) {
    if (std::abs(sum / sums.front() - 1) > kRounding) return std::nullopt;
  }
  for (double& weight : strategy.weights) weight /= sums.front();
  return strategy;
}

// The strategy of the least limit_ratio so far. If there is none, the first error.
class BestStrategy {
 public:
  BestStrategy(const TaskSpec& base, const ExplicitWorkload& workload, const Target& target)
      : base_(base), workload_(workload), target_(target) {}

  void offer(const StrategySets& strategy) {
    Result<Task> task = strategy_task(base_, strategy);
    if (!task) {
      if (!best_) best_ = Candidate{kName, task, Result<WorkloadPlan>(task.error())};
      return;
    }
    auto plan = plan_good_strategy(*task, workload_, target_, limit_ratio());
    if (!plan) {
      if (!best_) best_ = Candidate{kName, std::move(task), Result<WorkloadPlan>(plan.error())};
    } else if (*plan && (*plan)->limit_ratio < limit_ratio()) {
      best_ = Candidate{kName, std::move(task), **std::move(plan)};
    }
  }
  double limit_ratio() const { return best_ && best_->plan ? best_->plan->limit_ratio : INFINITY; }
  Candidate take() && { return *std::move(best_); }

 private:
  static constexpr const char* kName = "strategy made for the queries";
  const TaskSpec& base_;
  const ExplicitWorkload& workload_;
  const Target& target_;
  std::optional<Candidate> best_;
};

}  // namespace

Result<std::size_t> strategy_records(const Schema& schema) {
  const auto records = schema.universe_size();
  if (records && *records <= kMostRecords) return static_cast<std::size_t>(*records);
  return Error{ErrorCode::kLimitExceeded, "a strategy is made for at most " + std::to_string(kMostRecords) +
                                              " different records, and the schema " +
                                              (records ? "has " + std::to_string(*records) : "has more than 2^63") +
                                              ": plan for fewer attributes, or fewer values of each"};
}

Result<Candidate> strategy_candidate(const TaskSpec& base, const Workload& workload, const Target& target,
                                     std::span<const Candidate> others,
                                     const std::function<void(const std::string&)>& progress) {
  HEARSAY_CHECK_OK(check_target(target));
  HEARSAY_TRY(const std::size_t records, strategy_records(base.schema));
  HEARSAY_TRY(const ExplicitWorkload queries, explicit_workload(workload, base.schema));
  BestStrategy best(base, queries, target);
  StrategyOptions options{.epsilon = base.epsilon.approximate(), .most_outputs = working_outputs(records)};
  StrategySets together;
  for (const Candidate& other : others) {
    if (!other.task) continue;
    const StrategySets start = outputs_of(*other.task, most_outputs(records));
    if (start.sets.empty()) continue;
    if (const auto same = scaled(start, base.epsilon.approximate())) best.offer(*same);
    together.sets.insert(together.sets.end(), start.sets.begin(), start.sets.end());
    together.weights.insert(together.weights.end(), start.weights.begin(), start.weights.end());
  }
  options.progress = [&](int round, const StrategySets& strategy) {
    constexpr int kRoundsPerLine = 8;
    if (round % kRoundsPerLine != 0) return;
    progress("round " + std::to_string(round) + " of " + std::to_string(options.rounds) + ": " +
             std::to_string(strategy.sets.size()) + " outputs");
  };
  best.offer(optimise_strategy(queries, together, options));
  progress("limit_ratio " + std::to_string(best.limit_ratio()));
  return std::move(best).take();
}

Result<double> strategy_seconds(const Schema& schema, const Workload& workload) {
  HEARSAY_TRY(const std::size_t records, strategy_records(schema));
  HEARSAY_TRY(const ExplicitWorkload queries, explicit_workload(workload, schema));
  constexpr double kPerMultiplication = 2e-10;
  constexpr double kOfOptimiser = 40 * 15 * 10;
  constexpr double kOfPlan = 2 * 10 * compiler::kWorstPeopleSteps;  // of two strategies, with vectors
  const auto m = static_cast<double>(records);
  return kPerMultiplication * static_cast<double>(working_outputs(records)) * m *
         (kOfOptimiser * m + kOfPlan * static_cast<double>(queries.functions.cols()));
}

}  // namespace hearsay::planner
