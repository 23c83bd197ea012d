#include "aggregator/planner/set_weights.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/planner/smooth_maximum.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/channel/sampled.h"

namespace hearsay::planner {
namespace {

// Sets weights of lists to 0, starting with the smallest weight. Keeps a weight if some set would otherwise lose more
// than the part kMissed of its information.
Eigen::VectorXd without_idle(const SetLaw& law, Eigen::VectorXd weights) {
  constexpr double kMissed = 1e-4;  // the part of the information about a set that may be lost
  const Eigen::VectorXd before = law.information(weights);
  std::vector<Eigen::Index> ascending(static_cast<std::size_t>(weights.size()));
  for (std::size_t v = 0; v < ascending.size(); ++v) ascending[v] = static_cast<Eigen::Index>(v);
  std::ranges::sort(ascending, {}, [&](Eigen::Index v) { return weights[v]; });
  for (const Eigen::Index v : ascending) {
    Eigen::VectorXd without = weights;
    without[v] = 0;
    if (((before - law.information(without)).array() > kMissed * before.array()).any()) continue;
    weights = std::move(without);
  }
  return weights;
}

SampledSpec with_weights(const SetProblem& problem, const SetLaw& law, const Eigen::VectorXd& weights) {
  constexpr double kTotal = 1U << 30U;
  const Eigen::VectorXd of_lists = without_idle(law, weights.head(law.blocks().front()));
  SampledSpec spec{.groups = {}, .group_size = 0, .questions = law.questions(weights)};
  for (std::size_t v = 0; v < problem.groups.size(); ++v) {
    const double weight = of_lists[static_cast<Eigen::Index>(v)];
    if (weight == 0) continue;
    for (const GroupWeight& group : problem.groups[v]) {
      spec.groups.push_back(group);
      const double each = weight / static_cast<double>(problem.groups[v].size()) * kTotal;
      spec.groups.back().weight = std::max(1U, static_cast<std::uint32_t>(std::lround(each)));
    }
  }
  const auto is_default = [](const QuestionSpec& one) { return one == QuestionSpec(ParityQuestions{}); };
  if (std::ranges::all_of(spec.questions, is_default)) spec.questions.clear();
  return spec;
}

Result<SampledChannel> channel_of_all(const TaskSpec& base, std::uint32_t order, const SetProblem& problem) {
  HEARSAY_TRY(const Arrangement arrangement, Arrangement::create(CharactersSpec{order}, base.schema));
  SampledSpec all{.groups = {}, .group_size = 0, .questions = problem.questions};
  for (const std::vector<GroupWeight>& list : problem.groups) {
    for (const GroupWeight& group : list) {
      all.groups.push_back(group);
      all.groups.back().weight = 1;
    }
  }
  return SampledChannel::create(all, arrangement, base.epsilon);
}

}  // namespace

Result<WeightedSets> best_set_weights(const TaskSpec& base, std::uint32_t order, const SetProblem& problem,
                                      Against against, Effort effort) {
  constexpr double kMostDescentWork = 5e8;
  constexpr double kFewSteps = 30;
  const bool quick = effort == Effort::kQuick;
  const std::vector<double> powers = quick ? std::vector{60.0} : std::vector{30.0, 60.0, 120.0, 240.0, 480.0, 960.0};
  HEARSAY_TRY(const SampledChannel channel, channel_of_all(base, order, problem));
  std::vector<std::size_t> sizes;
  for (const std::vector<GroupWeight>& list : problem.groups) sizes.push_back(list.size());
  for (const bool adjust : {true, false}) {
    HEARSAY_TRY(SetLaw law, SetLaw::create(base.schema, problem.questions, problem.alike, against, adjust));
    for (const WeightedProduct& product : problem.products) {
      HEARSAY_CHECK_OK(law.add(product.function, product.weight));
    }
    law.set_groups(channel, sizes);
    const double per_step = static_cast<double>(powers.size()) * law.work();
    const double steps = std::min(quick ? 40.0 : 300.0, kMostDescentWork / per_step);
    if (steps < kFewSteps) continue;
    Eigen::VectorXd weights = law.initial_weights();
    if (!(law.information(weights.head(law.blocks().front())).minCoeff() > 0)) {
      return Error{ErrorCode::kQueryNotCovered, "no group asks about all attributes that a query needs"};
    }
    weights = small_maximum(law, std::move(weights), law.blocks(), static_cast<int>(steps), powers);
    return WeightedSets{with_weights(problem, law, weights), law.values(weights).maxCoeff(), steps * per_step};
  }
  return Error{ErrorCode::kLimitExceeded, "too many queries and sets of attributes to weigh"};
}

}  // namespace hearsay::planner
