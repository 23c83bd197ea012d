#include "aggregator/planner/candidates.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "aggregator/planner/coarse_list.h"
#include "aggregator/planner/group_weights.h"
#include "aggregator/planner/known_plans.h"
#include "aggregator/planner/mixture.h"
#include "aggregator/planner/parity_bound.h"
#include "aggregator/planner/question_plan.h"
#include "aggregator/planner/set_questions.h"
#include "aggregator/planner/workload_plan.h"
#include "common/base/try.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

struct Proposal {
  std::string name;
  ArrangementSpec arrangement;
  Result<ChannelSpec> channel;
};

Result<ChannelSpec> channel_of(const Result<QuestionPlan>& plan) {
  if (!plan) return plan.error();
  return ChannelSpec(plan->spec);
}

Result<ChannelSpec> as_channel(Result<SampledSpec> spec) {
  if (!spec) return spec.error();
  return ChannelSpec(*std::move(spec));
}

std::vector<Proposal> literals_for(const Epsilon& epsilon) {
  std::vector<Proposal> proposals;
  proposals.push_back(
      {"literals, paper's Laplace", LiteralsSpec{}, ChannelSpec(LaplaceSpec{LaplaceCalibration::kPaper, {}})});
  proposals.push_back({"literals, Laplace", LiteralsSpec{}, ChannelSpec(LaplaceSpec{})});
  // Answers of more than ε/ln 2 + 3 bits are nearly always noise.
  const auto most = std::min(16U, static_cast<std::uint32_t>(epsilon.approximate() / std::log(2.0)) + 3);
  for (std::uint32_t m = 1; m <= most; ++m) {
    proposals.push_back({"literals, sampled by " + std::to_string(m), LiteralsSpec{},
                         ChannelSpec(SampledSpec{.groups = {}, .group_size = m})});
  }
  return proposals;
}

// Returns true if all attributes have the same number of bits. Then spreading weights by sets or by coordinates gives
// the same groups.
bool spreads_alike(const Schema& schema) {
  const auto bits = [](const Attribute& attribute) { return bits_of(attribute); };
  return std::all_of(schema.attributes().begin(), schema.attributes().end(),
                     [&](const Attribute& attribute) { return bits(attribute) == bits(schema[0]); });
}

// Plans groups on the sets that the queries need. The planned weights are best on average. For the worst population,
// weights that are planned for a schema of the touched attributes alone can be better than these weights. So this
// function tries both kinds of weights.
Result<SampledSpec> for_these(const TaskSpec& base, std::uint32_t order, const GroupPlanner& planner,
                              const std::vector<Query>& queries) {
  HEARSAY_TRY(const SampledSpec singles, planner.plan(GroupChoice::kSingles, SetChoice::kNeeded));
  HEARSAY_TRY(const SampledSpec groups, planner.plan(GroupChoice::kAll, SetChoice::kNeeded));
  HEARSAY_TRY(SampledSpec best, best_mixture(base, order, singles, groups, queries));
  for (const SetChoice sets : {SetChoice::kTouched, SetChoice::kTouchedByMasks}) {
    if (sets == SetChoice::kTouchedByMasks && spreads_alike(base.schema)) continue;
    HEARSAY_TRY(const SampledSpec others, planner.plan(GroupChoice::kAll, sets));
    HEARSAY_TRY(best, best_mixture(base, order, best, others, queries));
  }
  return best;
}

// Returns the weight of each query of representatives(): the weight of the mixture's part that the query comes from.
std::vector<double> weights_of(const Workload& workload, const Schema& schema) {
  std::vector<double> weights;
  for (const Mixture::Part& part : parts_of(workload)) {
    const Result<std::vector<Query>> queries = representatives(part.workload, schema);
    if (queries) weights.insert(weights.end(), queries->size(), part.weight);
  }
  return weights;
}

void propose_characters(const TaskSpec& base, const Workload& workload, const std::vector<Query>& queries,
                        std::vector<Proposal>& proposals) {
  const std::uint32_t order = order_of(workload);
  const bool is_list = std::holds_alternative<std::vector<Query>>(workload);
  const ArrangementSpec arrangement = CharactersSpec{order};
  proposals.push_back({"characters, Laplace", arrangement, ChannelSpec(LaplaceSpec{})});
  proposals.push_back({"characters, uniform singles", arrangement, as_channel(uniform_singles(base.schema, order))});
  const auto planner = GroupPlanner::create(base.schema, order, base.epsilon, queries,
                                            weights_of(workload, base.schema), functions_of(workload, base.schema));
  struct Choice {
    const char* name;
    GroupChoice groups;
    SetChoice sets;
  };
  std::vector<Choice> choices{{"characters, planned singles", GroupChoice::kSingles, SetChoice::kAll},
                              {"characters, planned groups", GroupChoice::kAll, SetChoice::kAll}};
  if (!spreads_alike(base.schema)) {
    choices.push_back({"characters, planned singles by coordinates", GroupChoice::kSingles, SetChoice::kByMasks});
    choices.push_back({"characters, planned groups by coordinates", GroupChoice::kAll, SetChoice::kByMasks});
  }
  for (const Choice& choice : choices) {
    proposals.push_back(
        {choice.name, arrangement,
         planner ? as_channel(planner->plan(choice.groups, choice.sets)) : Result<ChannelSpec>(planner.error())});
  }
  if (is_list) {
    proposals.push_back(
        {"characters, groups for these queries", arrangement,
         planner ? as_channel(for_these(base, order, *planner, queries)) : Result<ChannelSpec>(planner.error())});
  }
}

// Chooses groups and questions together, starting from the questions proposed so far.
std::vector<Proposal> sets_for(const TaskSpec& base, const Workload& workload, const std::vector<Proposal>& proposals,
                               bool with_parities) {
  std::vector<SampledSpec> known;
  for (const Proposal& proposal : proposals) {
    if (!proposal.channel || !std::holds_alternative<CharactersSpec>(proposal.arrangement)) continue;
    const auto* spec = std::get_if<SampledSpec>(&*proposal.channel);
    if (spec != nullptr) known.push_back(*spec);
  }
  if (with_parities) known.emplace_back();
  std::vector<Proposal> together;
  const char* name = "characters, questions and groups together";
  for (SampledSpec& best : sets_and_questions(base, workload, known)) {
    together.push_back({name, CharactersSpec{order_of(workload)}, ChannelSpec(std::move(best))});
    name = "characters, questions and groups together, for the reporters";
  }
  return together;
}

// Returns true if the workload has ranges or prefixes of an attribute that is too large for half-circles. For such an
// attribute, parities would take many times as many users as levels.
bool only_levels_can(const TaskSpec& base, const Workload& workload) {
  const auto is_large = [&](std::uint32_t i) {
    const std::uint32_t values = base.schema[i].size();
    return values > 2 && !can_ask(QuestionFamily::kRanges, values);
  };
  return is_ordered(workload) && !has_only<Means>(workload) && order_of(workload) == 1 &&
         std::ranges::any_of(integer_ranges(base.schema), is_large);
}

std::vector<Proposal> questions_for(const TaskSpec& base, const Workload& workload, KnownPlans& known) {
  std::vector<Proposal> proposals;
  if (!only_levels_can(base, workload)) {
    for (const OneBitProposal& one : known.one_bit(base.schema, workload)) {
      proposals.push_back({one.name, CharactersSpec{one.order}, as_channel(one.spec)});
    }
  }
  const FindRangeQuestions find = [&known](std::uint32_t values, double epsilon, std::uint32_t attributes) {
    return known.ranges(values, epsilon, attributes);
  };
  for (WideProposal& wide : wide_questions(base.schema, workload, base.epsilon.approximate(), find)) {
    proposals.push_back({std::move(wide.name), CharactersSpec{order_of(workload)}, as_channel(std::move(wide.spec))});
  }
  return proposals;
}

// Returns true if every integer range has at least 16 values. Then questions for ranges take fewer users than parities.
bool are_long_ranges(const Schema& schema) {
  constexpr std::uint32_t kLong = 16;  // values
  return std::ranges::all_of(integer_ranges(schema), [&](std::uint32_t i) { return schema[i].size() >= kLong; });
}

std::vector<Proposal> ordered_parities(const TaskSpec& base, const Workload& workload, Wanted wanted) {
  if (only_levels_can(base, workload) || (wanted == Wanted::kBest && are_long_ranges(base.schema))) return {};
  return {{"characters, planned singles", CharactersSpec{order_of(workload)},
           channel_of(plan_questions(base.schema, workload, for_ranges(QuestionFamily::kParities, base.schema)))}};
}

Result<Task> make_task(const TaskSpec& base, const Proposal& proposal) {
  TaskSpec spec = base;
  spec.arrangement = proposal.arrangement;
  HEARSAY_TRY(spec.channel, Result<ChannelSpec>(proposal.channel));
  return Task::create(std::move(spec));
}

std::string percent(double part) { return part < 0.005 ? "<1 %" : std::to_string(std::lround(100 * part)) + " %"; }

bool better(const Candidate& a, const Candidate& b) {
  if (!a.plan || !b.plan) return static_cast<bool>(a.plan) && !b.plan;
  if (a.plan->guarantee != b.plan->guarantee) return a.plan->guarantee == compiler::Guarantee::kWorstCase;
  return a.plan->users_worst < b.plan->users_worst;
}

std::vector<Candidate> planned(const TaskSpec& base, const Workload& workload, const std::vector<Proposal>& proposals,
                               const std::vector<Query>& queries, Parts& parts, const Target& target, Wanted wanted) {
  std::vector<Candidate> list;
  for (const Proposal& proposal : proposals) {
    Result<Task> task = make_task(base, proposal);
    Result<WorkloadPlan> plan =
        task ? plan_workload(*task, workload, queries, parts, target, wanted) : Result<WorkloadPlan>(task.error());
    list.push_back({proposal.name, std::move(task), std::move(plan)});
  }
  return list;
}

double least_ratio(const std::vector<Candidate>& list) {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& one : list) least = std::min(least, one.plan ? one.plan->limit_ratio : least);
  return least;
}

// Returns the best candidate, or null if no candidate has a plan. The list need not be sorted.
const Candidate* best_of(const std::vector<Candidate>& list) {
  const auto best = std::min_element(list.begin(), list.end(), better);
  return best == list.end() || !best->plan ? nullptr : &*best;
}

// `queries` are those of plan_workload().
std::vector<Candidate> on_characters(const TaskSpec& base, const Workload& workload, const std::vector<Query>& queries,
                                     const Target& target, Wanted wanted, KnownPlans& known) {
  Parts parts(workload, base.schema);
  std::vector<Proposal> proposed;
  std::vector<Candidate> list;
  const auto add = [&](const std::vector<Proposal>& proposals, bool in_front) {
    const auto place = static_cast<std::ptrdiff_t>(in_front ? 0 : list.size());
    std::vector<Candidate> more = planned(base, workload, proposals, queries, parts, target, wanted);
    list.insert(list.begin() + place, std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    proposed.insert(proposed.end(), proposals.begin(), proposals.end());
  };
  add(questions_for(base, workload, known), false);
  if (is_ordered(workload)) add(ordered_parities(base, workload, wanted), true);
  const bool may_leave_out = wanted == Wanted::kBest || has_many_patterns(queries, base.schema);
  const double of_parities = may_leave_out ? least_ratio_of_parities(base, workload, queries) : 0;
  const auto are_left = [&] { return !is_ordered(workload) && of_parities <= least_ratio(list); };
  if (order_of(workload) > 1) add(sets_for(base, workload, proposed, are_left()), false);
  if (are_left()) {
    std::vector<Proposal> parities;
    propose_characters(base, workload, queries, parities);
    add(parities, true);
  }
  return list;
}

// Returns candidates with several channels on `characters`, for the cells of values that the queries tell apart.
std::vector<Candidate> on_cells(const TaskSpec& base, const CoarseList& cells, const Target& target, Wanted wanted,
                                KnownPlans& known) {
  TaskSpec coarse = base;
  coarse.schema = cells.schema;
  std::vector<Candidate> list = on_characters(coarse, cells.queries, cells.queries, target, wanted, known);
  for (Candidate& one : list) {
    if (one.task) one.task = with_cuts(*one.task, cells, base.schema);
    if (!one.task) one.plan = one.task.error();
  }
  return list;
}

// Plans for cells and for values, and returns the better list. Skips the plan for values if that plan would take long.
// The planner tries different families for cells and for values, so either plan can be better.
std::vector<Candidate> on_cells_or_values(const TaskSpec& base, const Workload& workload,
                                          const std::vector<Query>& queries, const Target& target, Wanted wanted,
                                          KnownPlans& known) {
  constexpr std::size_t kFewValues = 128;
  const std::optional<CoarseList> cells = coarse_list(base.schema, workload);
  if (!cells) return on_characters(base, workload, queries, target, wanted, known);
  std::vector<Candidate> of_cells = on_cells(base, *cells, target, wanted, known);
  const Candidate* best = best_of(of_cells);
  if (best != nullptr && values_cut(*cells, base.schema) > kFewValues) return of_cells;
  std::vector<Candidate> of_values = on_characters(base, workload, queries, target, wanted, known);
  const Candidate* other = best_of(of_values);
  return best != nullptr && (other == nullptr || !better(*other, *best)) ? of_cells : of_values;
}

}  // namespace

Result<std::vector<Candidate>> candidates(const TaskSpec& base, const Workload& workload, const Target& target,
                                          Wanted wanted) {
  KnownPlans known;
  return candidates(base, workload, target, wanted, known);
}

Result<std::vector<Candidate>> candidates(const TaskSpec& base, const Workload& workload, const Target& target,
                                          Wanted wanted, KnownPlans& known) {
  HEARSAY_CHECK_OK(check_target(target));
  HEARSAY_TRY(std::vector<Query> queries, representatives(workload, base.schema));
  // A workload of means has no representatives. A task that answers prefixes can answer means, too.
  if (queries.empty()) {
    HEARSAY_TRY(queries, representatives(Prefixes{}, base.schema));
  }
  TaskSpec uncut = base;
  uncut.cuts.clear();
  std::vector<Candidate> list = on_cells_or_values(uncut, workload, queries, target, wanted, known);
  // On literals, answers to queries on several attributes are only average-case.
  const auto is_on_several = [](const Query& query) { return query.attributes().size() > 1; };
  const bool is_decided =
      wanted == Wanted::kBest && std::isfinite(least_ratio(list)) && std::ranges::any_of(queries, is_on_several);
  if (has_only<std::vector<Query>, Conjunctions, Functions>(workload) && !is_decided) {
    Parts parts(workload, base.schema);
    std::vector<Candidate> literals =
        planned(uncut, workload, literals_for(base.epsilon), queries, parts, target, wanted);
    list.insert(list.begin(), std::make_move_iterator(literals.begin()), std::make_move_iterator(literals.end()));
  }
  std::stable_sort(list.begin(), list.end(), better);
  return list;
}

std::string describe(const SampledSpec& spec) {
  if (spec.groups.empty()) return "groups of " + std::to_string(spec.group_size) + " literals";
  double total = 0;
  std::map<std::pair<GroupKind, std::uint32_t>, double> weights;
  bool some_sets = false;
  bool equal = true;
  for (const GroupWeight& group : spec.groups) {
    total += group.weight;
    weights[{group.kind, group.size}] += group.weight;
    some_sets = some_sets || !group.attributes.empty();
    equal = equal && group.odds.empty();
  }
  std::string text;
  for (const auto& [groups, weight] : weights) {
    const auto& [kind, size] = groups;
    const char* name = kind == GroupKind::kSingle ? "single" : kind == GroupKind::kRaw ? "raw" : "even";
    if (!text.empty()) text += ", ";
    text += std::string(name) + " " + std::to_string(size) + ": " + percent(weight / total);
  }
  if (some_sets) return text + "; only some sets of attributes";
  return text + (equal ? "; sets of attributes equally likely" : "; sets of attributes drawn by the task's odds");
}

}  // namespace hearsay::planner
