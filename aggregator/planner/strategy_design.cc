#include "aggregator/planner/strategy_design.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "aggregator/compiler/worst_people_scores.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/shift_optimiser.h"
#include "aggregator/planner/shift_orbits.h"
#include "aggregator/planner/strategy_matrix.h"
#include "aggregator/planner/strategy_outputs.h"
#include "aggregator/planner/strategy_plan.h"
#include "common/base/try.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

// The most records for a strategy without shifts. With more records there would be too few outputs.
constexpr std::size_t kMostListedRecords = 256;

Result<Task> strategy_task(const TaskSpec& base, const StrategySets& strategy) {
  TaskSpec spec = base;
  spec.arrangement = CharactersSpec{static_cast<std::uint32_t>(base.schema.size())};
  HEARSAY_TRY(spec.channel, rounded_strategy(strategy, base.epsilon));
  return Task::create(std::move(spec));
}

// Searches for a strategy, with or without shifts, for the queries of a workload.
class StrategySearch {
 public:
  static Result<StrategySearch> create(const Schema& schema, const Workload& workload) {
    HEARSAY_TRY(const std::size_t records, strategy_records(schema));
    HEARSAY_TRY(ExplicitWorkload queries, explicit_workload(workload, schema));
    std::vector<std::uint32_t> values;
    for (const Attribute& attribute : schema.attributes()) values.push_back(attribute.size());
    StrategySearch search(std::move(values));
    ShiftWorkload orbits = up_to_shifts(queries, search.shifts_);
    search.closed_ = orbits.closed;
    search.with_shifts_ = orbits.closed || records > kMostListedRecords;
    search.queries_ = std::move(orbits.queries);
    return search;
  }

  const ExplicitWorkload& queries() const { return queries_; }
  // Returns true if the strategies of starts_of() answer as well as the mechanisms that they come from. If the workload
  // is not closed, a mixture of a mechanism's shifts may answer worse than the mechanism.
  bool starts_are_candidates() const { return closed_ || !with_shifts_; }

  std::vector<StrategySets> starts_of(std::span<const Candidate> others) const {
    std::vector<StrategySets> starts;
    for (const Candidate& other : others) {
      if (!other.task) continue;
      StrategySets start = outputs_of(*other.task, with_shifts_ ? StrategyChannel::kMaxEntries : most_sets());
      if (with_shifts_) start = up_to_shifts(start, shifts_, most_sets());
      if (!start.sets.empty()) starts.push_back(std::move(start));
    }
    return starts;
  }

  // Scales the weights so that the probabilities of each record add up to 1. Returns nothing if no factor fits every
  // record: the strategy then lacks outputs.
  std::optional<StrategySets> scaled(StrategySets strategy, double epsilon) const {
    constexpr double kRounding = 1e-9;
    const double factor = std::exp(epsilon);
    std::vector<double> sums(shifts_.records(), 0);
    for (std::size_t k = 0; k < strategy.sets.size(); ++k) {
      for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += strategy.weights[k] * (strategy.sets[k][x] ? factor : 1);
    }
    // With shifts, the probabilities of every record are all entries of all rows.
    if (strategy.shifts) sums = {std::accumulate(sums.begin(), sums.end(), 0.0)};
    for (const double sum : sums) {
      if (std::abs(sum / sums.front() - 1) > kRounding) return std::nullopt;
    }
    for (double& weight : strategy.weights) weight /= sums.front();
    return strategy;
  }

  StrategySets optimise(const StrategySets& start, const StrategyOptions& options) const {
    return with_shifts_ ? optimise_shift_strategy(queries_, values_, start, options)
                        : optimise_strategy(queries_, start, options);
  }

  // Returns how many sets the search keeps. In the end about one set for each record is enough, but during the search
  // more sets are needed.
  std::size_t working_sets() const {
    constexpr std::size_t kPerRecord = 16;
    constexpr std::size_t kMostShifted = 256;
    return with_shifts_ ? std::min(most_sets(), kMostShifted) : std::min(most_sets(), kPerRecord * shifts_.records());
  }
  std::size_t working_outputs() const { return working_sets() * (with_shifts_ ? shifts_.records() : 1); }

  // Returns how many multiplications the product of the matrix and a vector takes: with shifts, a Fourier transform of
  // each row.
  double work_of_product() const {
    constexpr double kPerOutput = 10;
    return static_cast<double>(working_outputs()) *
           (with_shifts_ ? kPerOutput : static_cast<double>(shifts_.records()));
  }

  // With shifts, work() does not depend on the starts, so the caller need not compute the starts.
  bool counts_starts() const { return !with_shifts_; }
  double work(std::span<const StrategySets> starts) const {
    if (with_shifts_) return shift_work(queries_, working_sets(), kRounds);
    std::size_t sets = 2 * shifts_.records();
    for (const StrategySets& start : starts) sets += start.sets.size();
    return strategy_work(queries_, sets, kRounds);
  }

  static constexpr int kRounds = 40;

 private:
  explicit StrategySearch(std::vector<std::uint32_t> values) : values_(std::move(values)), shifts_(values_) {}
  std::size_t most_sets() const { return StrategyChannel::kMaxEntries / shifts_.records(); }

  std::vector<std::uint32_t> values_;  // the number of values of each attribute
  Shifts shifts_;
  bool closed_ = false;
  bool with_shifts_ = false;
  ExplicitWorkload queries_;
};

// How often the variances of all queries are computed: once for the best of the other mechanisms, and once for the
// result of the search.
constexpr double kPlans = 2;

double work_of_plan(const StrategySearch& search) {
  constexpr double kProductsOfStep = 8;
  return kProductsOfStep * compiler::kWorstPeopleSteps * search.work_of_product() *
         static_cast<double>(search.queries().functions.cols());
}

// Keeps the strategy of the least limit_ratio so far, or the first error if no strategy has a plan.
class BestStrategy {
 public:
  BestStrategy(const TaskSpec& base, const ExplicitWorkload& workload, const Target& target,
               const std::function<bool()>& stopped)
      : base_(base), workload_(workload), target_(target), stopped_(stopped) {}

  void offer(const StrategySets& strategy) {
    Result<Task> task = strategy_task(base_, strategy);
    if (!task) {
      if (!best_) best_ = Candidate{kName, task, Result<WorkloadPlan>(task.error())};
      return;
    }
    // The first plan goes to its end, so that there is a result.
    const bool may_end = std::isfinite(limit_ratio());
    auto plan = plan_good_strategy(*task, workload_, target_, limit_ratio(), may_end ? stopped_ : nullptr);
    if (!plan) {
      if (!best_) best_ = Candidate{kName, std::move(task), Result<WorkloadPlan>(plan.error())};
    } else if (*plan && (*plan)->limit_ratio < limit_ratio()) {
      best_ = Candidate{kName, std::move(task), **std::move(plan)};
    }
  }
  double limit_ratio() const { return best_ && best_->plan ? best_->plan->limit_ratio : INFINITY; }
  Result<Candidate> take() && {
    if (best_) return *std::move(best_);
    return Error{ErrorCode::kLimitExceeded,
                 "the search ended before it found a strategy: plan without a strategy, or for another epsilon"};
  }

 private:
  static constexpr const char* kName = "strategy made for the queries";
  const TaskSpec& base_;
  const ExplicitWorkload& workload_;
  const Target& target_;
  const std::function<bool()>& stopped_;
  std::optional<Candidate> best_;
};

}  // namespace

Result<std::size_t> strategy_records(const Schema& schema) {
  const auto records = schema.universe_size();
  if (records && *records <= StrategyChannel::kMaxRecords) return static_cast<std::size_t>(*records);
  return Error{ErrorCode::kLimitExceeded, "a strategy is made for at most " +
                                              std::to_string(StrategyChannel::kMaxRecords) +
                                              " different records, and the schema " +
                                              (records ? "has " + std::to_string(*records) : "has more than 2^63") +
                                              ": plan for fewer attributes, or fewer values of each"};
}

Result<Candidate> strategy_candidate(const TaskSpec& base, const Workload& workload, const Target& target,
                                     std::span<const Candidate> others,
                                     const std::function<void(const std::string&)>& progress,
                                     const std::function<bool()>& stopped) {
  HEARSAY_CHECK_OK(check_target(target));
  HEARSAY_TRY(const StrategySearch search, StrategySearch::create(base.schema, workload));
  const double epsilon = base.epsilon.approximate();
  BestStrategy best(base, search.queries(), target, stopped);
  StrategySets together;
  const std::vector<StrategySets> starts = search.starts_of(others);
  for (const StrategySets& start : starts) {
    const bool enough = !search.starts_are_candidates() || (stopped && stopped() && std::isfinite(best.limit_ratio()));
    if (const auto same = search.scaled(start, epsilon); same && !enough) best.offer(*same);
    together.sets.insert(together.sets.end(), start.sets.begin(), start.sets.end());
    together.weights.insert(together.weights.end(), start.weights.begin(), start.weights.end());
  }
  std::stop_source stop;
  StrategyOptions options{.epsilon = epsilon,
                          .most_outputs = search.working_outputs(),
                          .rounds = StrategySearch::kRounds,
                          .most_work = 2 * search.work(starts),
                          .stop = stop.get_token()};
  options.progress = [&](const StrategyProgress& at) {
    if (stopped && stopped()) stop.request_stop();
    constexpr int kStepsPerLine = 60;
    if (at.step % kStepsPerLine != 0) return;
    progress("step " + std::to_string(at.step) + " of at most " + std::to_string(at.most_steps) + ": " +
             std::to_string(at.outputs) + " outputs");
  };
  const StrategySets found = search.optimise(together, options);
  progress("computing the exact errors of the best strategy");
  if (const auto whole = search.scaled(found, epsilon)) best.offer(*whole);
  progress("found a strategy with " + std::to_string(best.limit_ratio()) +
           " times the users of randomized response to one query alone");
  return std::move(best).take();
}

Result<double> strategy_seconds(const Schema& schema, const Workload& workload, std::span<const Candidate> others) {
  HEARSAY_TRY(const StrategySearch search, StrategySearch::create(schema, workload));
  const auto starts = search.counts_starts() ? search.starts_of(others) : std::vector<StrategySets>();
  // Seconds for each multiplication, as measured on one core of a server of 2023.
  constexpr double kPerMultiplication = 4e-10;
  constexpr double kMostSeconds = 3600;
  const double seconds = kPerMultiplication * (search.work(starts) + kPlans * work_of_plan(search));
  if (seconds <= kMostSeconds) return seconds;
  return Error{ErrorCode::kLimitExceeded,
               "making a strategy for these queries would take more than an hour: plan for fewer values, attributes or "
               "queries"};
}

}  // namespace hearsay::planner
