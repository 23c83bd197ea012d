// This system's mechanisms: people report through the channels of the planner's candidates, and the estimator answers.
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "aggregator/compiler/compile.h"
#include "aggregator/compiler/question_law.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/planner/candidates.h"
#include "aggregator/planner/report_variance.h"
#include "aggregator/tally/tally.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "common/task/coarsening.h"
#include "examples/comparison/mechanism.h"

namespace hearsay::examples {
namespace {

// The largest number of noisy coordinates in a report. With more, simulating a crowd takes too long.
constexpr std::size_t kMaxNoisy = std::size_t{1} << 14U;
constexpr double kConfidence = 0.95;

// Compiles a question about one attribute as one function of the attribute's value. For reports that ask other
// questions than parities.
Result<compiler::LinearQuery> compile_function(const Task& task, const Questions& questions, std::uint32_t attribute,
                                               const Question& question) {
  std::vector<double> values;
  std::vector<std::uint32_t> record(task.schema().size(), 0);
  for (record[attribute] = 0; record[attribute] < task.schema()[attribute].size(); ++record[attribute]) {
    values.push_back(question.value(record));
  }
  HEARSAY_TRY(auto solution, compiler::QuestionLaw(questions).solve(values));
  compiler::LinearQuery linear;
  linear.terms = {{1, {{attribute, solution.mean, std::move(solution.weights), solution.energy}}}};
  return linear;
}

// Compiles a question to an affine function of the coordinates: the sum over the question's conditions. The conditions
// of a mean are all on one attribute.
Result<compiler::LinearQuery> compile(const Task& task, const Question& question) {
  const auto* sampled = std::get_if<SampledChannel>(&task.channel().kind());
  const bool characters = std::holds_alternative<CharactersSpec>(task.spec().arrangement);
  if (question.conditions.size() > 1 && sampled != nullptr && characters && !sampled->asks_parities()) {
    const std::uint32_t attribute = question.conditions.front().attributes().front();
    return compile_function(task, sampled->questions(attribute), attribute, question);
  }
  compiler::LinearQuery sum;
  std::map<std::uint32_t, double> weights;
  for (const Query& condition : question.conditions) {
    compiler::Work work;
    HEARSAY_TRY(compiler::CompiledQuery compiled, compiler::compile(task, condition, work));
    if (question.conditions.size() == 1) return std::move(compiled.linear);
    // An average-case answer has a class variance and a margin, which belong to one query and cannot be added up.
    if (compiled.linear.guarantee != compiler::Guarantee::kWorstCase) {
      return Error{ErrorCode::kUnsupported,
                   "means are compared only on tasks whose answers are right for every population"};
    }
    sum.offset += compiled.linear.offset;
    for (const compiler::LinearQuery::Weight& weight : compiled.linear.weights) {
      weights[weight.coordinate] += weight.value;
    }
  }
  for (const auto& [coordinate, value] : weights) sum.weights.push_back({coordinate, value});
  return sum;
}

Result<std::vector<double>> report_and_estimate(const Task& task, const std::vector<compiler::LinearQuery>& queries,
                                                const std::vector<std::optional<Error>>& refusals, const Crowd& crowd,
                                                BitSource& bits) {
  const Channel& channel = task.channel();
  tally::Tally tally = tally::Tally::empty(channel);
  const Coarsening* coarsening = task.coarsening();
  for (const Record& record : crowd.people) {
    const Record asked = coarsening == nullptr ? record : coarsening->coarse(record);
    HEARSAY_CHECK_OK(tally.add(channel, channel.randomize(task.arrangement(), asked, bits)));
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

// Returns the limit_ratio() of a mean. Laplace noise adds the same variance in every population. Drawing people at
// random adds at most the square of half the range.
LimitRatio mean_ratio(const Task& task, const Question& mean, const compiler::LinearQuery& linear) {
  const planner::ReportVariance variance = planner::report_variance(task, mean.conditions.front(), linear);
  const double square = mean.range() * mean.range();
  const bool noise = std::holds_alternative<LaplaceChannel>(task.channel().kind());
  const double worst = noise ? variance.worst_among_reporters + square / 4 : variance.worst;
  return {planner::limit_ratio(worst / square, task.epsilon().approximate()), !variance.exact};
}

// Names a candidate's family: the planner's name without sizes or spreads, which differ between candidates of one
// family. Some families have a shorter name in the literature or the documentation, and get this name.
std::string family_of(const std::string& candidate) {
  static const std::map<std::string, std::string> kShort{{"literals, paper's Laplace", "paper's Laplace, literals"},
                                                         {"literals, Laplace", "tight Laplace, literals"},
                                                         {"literals, sampled", "sampled literals"},
                                                         {"characters, Laplace", "Laplace, characters"},
                                                         {"characters, uniform singles", "uniform singles"},
                                                         {"characters, planned singles", "planned singles"},
                                                         {"characters, planned groups", "planned groups"}};
  const std::string family = candidate.substr(0, candidate.find(" by "));
  const auto known = kShort.find(family);
  return known == kShort.end() ? family : known->second;
}

Mechanism from_candidate(const std::string& name, const planner::Candidate& candidate, const Setting& setting) {
  if (!candidate.task) {
    return refused(name, Origin::kOurs, candidate.task.error(), setting.queries.size() + setting.means.size());
  }
  const Task task = *candidate.task;
  const auto* laplace = std::get_if<LaplaceChannel>(&task.channel().kind());
  if (laplace != nullptr && laplace->coordinates() > kMaxNoisy) {
    const Error error{ErrorCode::kLimitExceeded,
                      std::to_string(laplace->coordinates()) + " noisy coordinates a report are too many to simulate"};
    return refused(name, Origin::kOurs, error, setting.queries.size() + setting.means.size());
  }
  Mechanism mechanism;
  mechanism.name = name;
  mechanism.origin = Origin::kOurs;
  mechanism.payload_bytes = task.channel().payload_size();
  const std::vector<Question> asked = questions_of(setting);
  std::vector<compiler::LinearQuery> queries(asked.size());
  mechanism.refusals.resize(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    auto compiled = compile(task, asked[i]);
    if (compiled) {
      queries[i] = *std::move(compiled);
    } else {
      mechanism.refusals[i] = compiled.error();
    }
  }
  if (!setting.means.empty()) {
    mechanism.limit_ratio = [task, question = asked.front(), query = queries.front()] {
      return mean_ratio(task, question, query);
    };
  } else if (candidate.plan && candidate.plan->guarantee == compiler::Guarantee::kWorstCase) {
    const LimitRatio ratio{candidate.plan->limit_ratio, candidate.plan->at_most};
    mechanism.limit_ratio = [ratio] { return ratio; };
  }
  mechanism.predict = [task, queries, asked](const planner::Census& population, std::size_t users) {
    std::vector<double> squares;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const planner::PredictedError error =
          planner::predicted_error(task, asked[i].conditions.front(), queries[i], population);
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
  const TaskSpec base{.title = "comparison",
                      .schema = setting.schema,
                      .arrangement = LiteralsSpec{},
                      .channel = LaplaceSpec{},
                      .epsilon = setting.epsilon,
                      .task_start = 0,
                      .task_duration = kDay,
                      .time_precision = kDay,
                      .min_batch_size = 1};
  // The accuracy (alpha, beta) only scales the planner's numbers of users, so any accuracy will do.
  HEARSAY_TRY(const auto candidates,
              planner::candidates(base, setting.workload, planner::Target{.alpha = 0.05, .beta = 0.05}));
  std::vector<Mechanism> list;
  std::set<std::string> families;
  for (const planner::Candidate& candidate : candidates) {  // the best candidate comes first
    const std::string family = family_of(candidate.name);
    if (families.insert(family).second) list.push_back(from_candidate(family, candidate, setting));
  }
  return list;
}

}  // namespace hearsay::examples
