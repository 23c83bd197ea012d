#include "aggregator/planner/strategy_design.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stop_token>
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

// The strategies that the other mechanisms are.
std::vector<StrategySets> starts_of(std::span<const Candidate> others, std::size_t records) {
  std::vector<StrategySets> starts;
  for (const Candidate& other : others) {
    if (!other.task) continue;
    StrategySets start = outputs_of(*other.task, most_outputs(records));
    if (!start.sets.empty()) starts.push_back(std::move(start));
  }
  return starts;
}

constexpr int kRounds = 40;

// How often the variances of all queries are computed: for the best of the others, and for what the search found.
constexpr double kPlans = 2;

double work_of_plan(const ExplicitWorkload& queries) {
  constexpr double kProductsOfStep = 8;  // of the matrix and a vector
  const auto records = static_cast<std::size_t>(queries.functions.rows());
  return kProductsOfStep * compiler::kWorstPeopleSteps * static_cast<double>(working_outputs(records) * records) *
         static_cast<double>(queries.functions.cols());
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
                                     const std::function<void(const std::string&)>& progress,
                                     const std::function<bool()>& stopped) {
  HEARSAY_CHECK_OK(check_target(target));
  HEARSAY_TRY(const std::size_t records, strategy_records(base.schema));
  HEARSAY_TRY(const ExplicitWorkload queries, explicit_workload(workload, base.schema));
  BestStrategy best(base, queries, target);
  StrategySets together;
  for (const StrategySets& start : starts_of(others, records)) {
    const bool enough = stopped && stopped() && std::isfinite(best.limit_ratio());
    if (const auto same = scaled(start, base.epsilon.approximate()); same && !enough) best.offer(*same);
    together.sets.insert(together.sets.end(), start.sets.begin(), start.sets.end());
    together.weights.insert(together.weights.end(), start.weights.begin(), start.weights.end());
  }
  std::stop_source stop;
  StrategyOptions options{.epsilon = base.epsilon.approximate(),
                          .most_outputs = working_outputs(records),
                          .rounds = kRounds,
                          .most_work = 2 * strategy_work(queries, together.sets.size(), kRounds),
                          .stop = stop.get_token()};
  options.progress = [&](const StrategyProgress& at) {
    if (stopped && stopped()) stop.request_stop();
    constexpr int kStepsPerLine = 60;
    if (at.step % kStepsPerLine != 0) return;
    progress("step " + std::to_string(at.step) + " of at most " + std::to_string(at.most_steps) + ": " +
             std::to_string(at.outputs) + " outputs");
  };
  const StrategySets found = optimise_strategy(queries, together, options);
  progress("computing the exact errors of the best strategy");
  best.offer(found);
  progress("found a strategy with " + std::to_string(best.limit_ratio()) +
           " times the users of randomized response to one query alone");
  return std::move(best).take();
}

Result<double> strategy_seconds(const Schema& schema, const Workload& workload, std::span<const Candidate> others) {
  HEARSAY_TRY(const std::size_t records, strategy_records(schema));
  HEARSAY_TRY(const ExplicitWorkload queries, explicit_workload(workload, schema));
  std::size_t start = 2 * records;
  for (const StrategySets& sets : starts_of(others, records)) start += sets.sets.size();
  // As measured on one core of a server of 2023.
  constexpr double kPerMultiplication = 4e-10;
  return kPerMultiplication * (strategy_work(queries, start, kRounds) + kPlans * work_of_plan(queries));
}

}  // namespace hearsay::planner
