#include "aggregator/planner/strategy_design.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "aggregator/compiler/strategy_decoder.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/strategy_matrix.h"
#include "aggregator/planner/strategy_variance.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "common/report/report.h"
#include "common/schema/universe.h"

namespace hearsay::planner {
namespace {

constexpr std::size_t kMostRecords = 256;

std::size_t most_outputs(std::size_t records) { return StrategyChannel::kMaxEntries / records; }

// About as many outputs as records are enough; some more are needed on the way.
std::size_t working_outputs(std::size_t records) {
  constexpr std::size_t kPerRecord = 16;
  return std::min(most_outputs(records), kPerRecord * records);
}

std::size_t strategy_report_bytes(const Task& task) {
  const Report report{ReportId{}, task.spec().task_start, std::vector<std::uint8_t>(task.channel().payload_size())};
  std::vector<std::uint8_t> bytes;
  append_report(report, bytes);
  return bytes.size();
}

Result<Task> strategy_task(const TaskSpec& base, const StrategySets& strategy) {
  TaskSpec spec = base;
  spec.arrangement = CharactersSpec{static_cast<std::uint32_t>(base.schema.size())};
  HEARSAY_TRY(spec.channel, rounded_strategy(strategy, base.epsilon));
  return Task::create(std::move(spec));
}

// The strategy with weights that add up to a probability of 1. Nothing where no factor does that for every record:
// where outputs are missing.
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

// The strategy of least users so far.
class BestStrategy {
 public:
  BestStrategy(const TaskSpec& base, const ExplicitWorkload& workload, const Target& target)
      : base_(base), workload_(workload), target_(target) {}

  void offer(const StrategySets& strategy) {
    Result<Task> task = strategy_task(base_, strategy);
    Result<WorkloadPlan> plan = task ? plan_strategy(*task, workload_, target_) : Result<WorkloadPlan>(task.error());
    const bool first = !best_;
    if (first || (plan && (!best_->plan || plan->limit_ratio < best_->plan->limit_ratio))) {
      best_ = Candidate{"strategy made for the queries", std::move(task), std::move(plan)};
    }
  }
  double limit_ratio() const { return best_ && best_->plan ? best_->plan->limit_ratio : INFINITY; }
  Candidate take() && { return *std::move(best_); }

 private:
  const TaskSpec& base_;
  const ExplicitWorkload& workload_;
  const Target& target_;
  std::optional<Candidate> best_;
};

// How often a report of the class asks this group, in proportion: by the questions' weights, and by the number of
// questions about each attribute, so that sets of attributes are equally likely (unequal odds are not counted).
double chance_in_class(const SampledChannel& channel, const SampledChannel::GroupClass& of, std::uint64_t group) {
  std::vector<Factor> factors(of.size);
  channel.factors(group, factors);
  double chance = 1;
  for (const Factor& factor : factors) {
    const Questions& questions = channel.questions(factor.attribute);
    if (questions.are_parities()) {
      chance /= questions.count();
    } else {
      const Questions::Member& member = questions.member_of(factor.mask - 1);
      chance *= static_cast<double>(member.weight) / static_cast<double>(questions.total_weight()) / member.count;
    }
  }
  return chance;
}

}  // namespace

StrategySets outputs_of(const Task& task, std::size_t most) {
  constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 20U;
  StrategySets result;
  const auto* sampled = std::get_if<SampledChannel>(&task.channel().kind());
  if (sampled == nullptr || !std::holds_alternative<Characters>(task.arrangement().kind())) return result;
  std::uint64_t pairs = 0;
  for (const auto& of : sampled->classes()) pairs += of.count << of.width;
  if (pairs > kMostPairs) return result;
  const std::vector<Record> records = universe_of(task.schema());
  std::map<std::vector<bool>, double> weights;
  for (std::uint64_t group = 0; group < sampled->groups(); ++group) {
    const SampledChannel::GroupClass& of = sampled->class_of(group);
    std::map<std::uint32_t, std::vector<bool>> sets;
    for (std::size_t x = 0; x < records.size(); ++x) {
      // A coin of 0 tells the truth.
      std::vector<bool>& set = sets[sampled->answer({group, 0, 0}, records[x])];
      set.resize(records.size(), false);
      set[x] = true;
    }
    const double untrue = (1 - std::ldexp(static_cast<double>(of.gamma), -64)) / of.answers;
    const double weight = static_cast<double>(of.weight) / static_cast<double>(sampled->total_weight()) *
                          chance_in_class(*sampled, of, group) * untrue;
    for (const auto& [answer, set] : sets) weights[set] += weight;
  }
  std::vector<std::pair<double, const std::vector<bool>*>> order;
  for (const auto& [set, weight] : weights) order.emplace_back(weight, &set);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t k = 0; k < std::min(most, order.size()); ++k) {
    result.sets.push_back(*order[k].second);
    result.weights.push_back(order[k].first);
  }
  return result;
}

Result<WorkloadPlan> plan_strategy(const Task& task, const ExplicitWorkload& workload, const Target& target) {
  constexpr Eigen::Index kAtOnce = 512;
  WorkloadPlan result{compiler::Guarantee::kWorstCase, 0, false, true, 0, 0, 0, "", strategy_report_bytes(task)};
  const compiler::StrategyDecoder decoder(std::get<StrategyChannel>(task.channel().kind()));
  double among = 0;
  double average = 0;
  double worst = 0;
  for (Eigen::Index from = 0; from < workload.functions.cols(); from += kAtOnce) {
    const Eigen::Index size = std::min(kAtOnce, workload.functions.cols() - from);
    const Eigen::MatrixXd functions = workload.functions.middleCols(from, size);
    HEARSAY_TRY(const Eigen::MatrixXd scores, decoder.scores(functions));
    const std::vector<ReportVariance> variances = strategy_variances(functions, scores, decoder.second_moments(scores));
    for (std::size_t i = 0; i < variances.size(); ++i) {
      const std::size_t query = static_cast<std::size_t>(from) + i;
      const double weight = workload.weights[query];
      average += weight * variances[i].average / static_cast<double>(workload.functions.cols());
      worst = std::max(worst, weight * variances[i].worst);
      result.influence = std::max(result.influence, std::sqrt(weight) * variances[i].influence);
      if (weight * variances[i].worst_among_reporters < among) continue;
      among = weight * variances[i].worst_among_reporters;
      HEARSAY_TRY(result.users_worst, users_for(among, 0, target));
      result.near_normal = near_normal(variances[i], result.users_worst);
      result.worst_query = workload.names[query];
    }
  }
  HEARSAY_TRY(result.users_average, users_for(std::min(average, among), 0, target));
  result.limit_ratio = limit_ratio(worst, task.epsilon().approximate());
  return result;
}

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
    if (strategy.sets.size() <= most_outputs(records)) best.offer(strategy);
    progress("round " + std::to_string(round) + " of " + std::to_string(options.rounds) + ": limit_ratio at most " +
             std::to_string(best.limit_ratio()));
  };
  best.offer(optimise_strategy(queries, together, options));
  progress("limit_ratio " + std::to_string(best.limit_ratio()));
  return std::move(best).take();
}

double strategy_seconds(std::size_t records) {
  const auto m = static_cast<double>(records);
  constexpr double kPerMultiplication = 2e-10 * 40 * 15 * 10;
  return kPerMultiplication * static_cast<double>(working_outputs(records)) * m * m;
}

}  // namespace hearsay::planner
