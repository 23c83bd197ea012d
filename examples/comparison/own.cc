// This system's mechanisms: the planner's candidates, reported through their channels and answered by the estimator.
#include <cmath>
#include <string>

#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/planner/candidates.h"
#include "aggregator/tally/tally.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "examples/comparison/mechanism.h"

namespace hearsay::examples {
namespace {

// Beyond this many noisy coordinates a report, a crowd takes too long.
constexpr std::size_t kMaxNoisy = std::size_t{1} << 14U;
constexpr double kConfidence = 0.95;

std::vector<compiler::LinearQuery> compile(const Task& task, const Setting& setting, Mechanism& mechanism) {
  std::vector<compiler::LinearQuery> compiled;
  for (const Query& query : setting.queries) {
    compiler::Work work;
    auto one = compiler::compile(task, query, work);
    mechanism.refusals.push_back(one ? std::nullopt : std::optional<Error>(one.error()));
    compiled.push_back(one ? std::move(one->linear) : compiler::LinearQuery{});
  }
  return compiled;
}

Result<std::vector<double>> report_and_estimate(const Task& task, const std::vector<compiler::LinearQuery>& queries,
                                                const std::vector<std::optional<Error>>& refusals, const Crowd& crowd,
                                                BitSource& bits) {
  const Channel& channel = task.channel();
  tally::Tally tally = tally::Tally::empty(channel);
  for (const Record& record : crowd.people) {
    HEARSAY_CHECK_OK(tally.add(channel, channel.randomize(task.arrangement(), record, bits)));
  }
  HEARSAY_TRY(const estimator::Estimator estimator, estimator::Estimator::create(task, tally));
  std::vector<double> estimates(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (refusals[i]) continue;
    const auto estimate = estimator.estimate(queries[i], kConfidence);
    if (!estimate && estimate.error().code != ErrorCode::kNoReports) return estimate.error();
    estimates[i] = estimate ? estimate->value : std::nan("");
  }
  return estimates;
}

Mechanism from_candidate(const std::string& name, const planner::Candidate& candidate, const Setting& setting) {
  if (!candidate.task) return refused(name, Origin::kOurs, candidate.task.error(), setting.queries.size());
  const Task task = *candidate.task;
  const auto* laplace = std::get_if<LaplaceChannel>(&task.channel().kind());
  if (laplace != nullptr && laplace->coordinates() > kMaxNoisy) {
    const Error error{ErrorCode::kLimitExceeded,
                      std::to_string(laplace->coordinates()) + " noisy coordinates a report are too many to simulate"};
    return refused(name, Origin::kOurs, error, setting.queries.size());
  }
  Mechanism mechanism;
  mechanism.name = name;
  mechanism.origin = Origin::kOurs;
  mechanism.payload_bytes = task.channel().payload_size();
  const std::vector<compiler::LinearQuery> queries = compile(task, setting, mechanism);
  mechanism.predict = [task, queries, asked = setting.queries](const planner::Census& population, std::size_t users) {
    std::vector<double> squares;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const planner::PredictedError error = planner::predicted_error(task, asked[i], queries[i], population);
      squares.push_back(error.variance / static_cast<double>(users) + error.bias * error.bias);
    }
    return squares;
  };
  mechanism.run = [task, queries, refusals = mechanism.refusals](const Crowd& crowd, const Randomness& random) {
    return report_and_estimate(task, queries, refusals, crowd, random.bits);
  };
  return mechanism;
}

}  // namespace

Result<std::vector<Mechanism>> own_mechanisms(const Setting& setting) {
  constexpr std::uint64_t kDay = 86'400;
  const TaskSpec base{.name = "comparison",
                      .schema = setting.schema,
                      .arrangement = LiteralsSpec{},
                      .channel = LaplaceSpec{},
                      .epsilon = setting.epsilon,
                      .task_start = 0,
                      .task_duration = kDay,
                      .time_precision = kDay,
                      .min_batch_size = 1};
  // The accuracy that the planner plans for only scales its numbers of users.
  HEARSAY_TRY(const auto candidates,
              planner::candidates(base, setting.workload, planner::Target{.alpha = 0.05, .beta = 0.05}));
  struct Choice {
    const char* prefix;  // of the planner's names; the first candidate is the best
    const char* name;
  };
  std::vector<Mechanism> list;
  for (const Choice& choice :
       {Choice{"literals, paper's Laplace", "paper's Laplace, literals"},
        Choice{"literals, Laplace", "tight Laplace, literals"}, Choice{"literals, sampled", "sampled literals"},
        Choice{"characters, Laplace", "Laplace, characters"}, Choice{"characters, uniform singles", "uniform singles"},
        Choice{"characters, planned singles", "planned singles"},
        Choice{"characters, planned groups", "planned groups"}}) {
    for (const planner::Candidate& candidate : candidates) {
      if (!candidate.name.starts_with(choice.prefix)) continue;
      list.push_back(from_candidate(choice.name, candidate, setting));
      break;
    }
  }
  return list;
}

}  // namespace hearsay::examples
