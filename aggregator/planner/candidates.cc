#include "aggregator/planner/candidates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "aggregator/planner/group_weights.h"
#include "aggregator/planner/mixed_circles.h"
#include "aggregator/planner/mixture.h"
#include "aggregator/planner/question_plan.h"
#include "aggregator/planner/wide_questions.h"
#include "aggregator/planner/worst_query.h"
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

// Whether all parts of the workload are of some of these kinds; whether one is.
template <class... Kinds>
bool has_only(const Workload& workload) {
  const std::vector<Mixture::Part> parts = parts_of(workload);
  return std::all_of(parts.begin(), parts.end(),
                     [](const Mixture::Part& part) { return (std::holds_alternative<Kinds>(part.workload) || ...); });
}
template <class Kind>
bool has_some(const Workload& workload) {
  const std::vector<Mixture::Part> parts = parts_of(workload);
  return std::any_of(parts.begin(), parts.end(),
                     [](const Mixture::Part& part) { return std::holds_alternative<Kind>(part.workload); });
}
bool is_ordered(const Workload& workload) { return has_only<Ranges, Prefixes, Boxes, Means>(workload); }

Result<ChannelSpec> as_channel(Result<SampledSpec> spec) {
  if (!spec) return spec.error();
  return ChannelSpec(*std::move(spec));
}

void propose_literals(const Epsilon& epsilon, std::vector<Proposal>& proposals) {
  proposals.push_back(
      {"literals, paper's Laplace", LiteralsSpec{}, ChannelSpec(LaplaceSpec{LaplaceCalibration::kPaper, {}})});
  proposals.push_back({"literals, Laplace", LiteralsSpec{}, ChannelSpec(LaplaceSpec{})});
  // Beyond ε/ln 2 + 3 bits an answer is nearly always noise.
  const auto most = std::min(16U, static_cast<std::uint32_t>(epsilon.approximate() / std::log(2.0)) + 3);
  for (std::uint32_t m = 1; m <= most; ++m) {
    proposals.push_back({"literals, sampled by " + std::to_string(m), LiteralsSpec{},
                         ChannelSpec(SampledSpec{.groups = {}, .group_size = m})});
  }
}

// With as many bit patterns as values in every attribute, sets and coordinates are spread alike.
bool spreads_alike(const Schema& schema) {
  const auto bits = [](const Attribute& attribute) { return bits_of(attribute); };
  return std::all_of(schema.attributes().begin(), schema.attributes().end(),
                     [&](const Attribute& attribute) { return bits(attribute) == bits(schema[0]); });
}

// Groups on the sets that the queries need. Their weights are best on average; for the worst population those that the
// schema of the touched attributes alone would get can be better, and so are tried, too.
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

// Of representatives(), what their parts count with.
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

// Integer ranges asked otherwise than for parities. What one of these cannot plan, none can.
void propose_questions(const TaskSpec& base, const Workload& workload, std::vector<Proposal>& proposals) {
  std::vector<std::pair<const char*, std::vector<QuestionFamily>>> choices{
      {"half-circles for ranges", for_ranges(QuestionFamily::kRanges, base.schema)}};
  if (!has_only<Ranges, Boxes>(workload)) {
    choices.emplace_back("half-circles for prefixes", for_ranges(QuestionFamily::kPrefixes, base.schema));
  }
  if (has_some<Means>(workload)) {
    choices.emplace_back("thresholds", for_ranges(QuestionFamily::kThresholds, base.schema));
  }
  if (has_some<std::vector<Query>>(workload)) {
    choices.emplace_back("questions that fit each attribute", fitting_families(workload, base.schema));
  }
  std::vector<std::vector<QuestionSpec>> known{{}};  // none but parities
  for (const auto& [name, families] : choices) {
    const Result<QuestionPlan> plan = plan_questions(base.schema, workload, families);
    if (plan && std::find(known.begin(), known.end(), plan->spec.questions) != known.end()) continue;
    proposals.push_back({name, CharactersSpec{order_of(workload)}, channel_of(plan)});
    if (!plan) break;
    known.push_back(plan->spec.questions);
  }
}

Result<Task> make_task(const TaskSpec& base, const Proposal& proposal) {
  TaskSpec spec = base;
  spec.arrangement = proposal.arrangement;
  HEARSAY_TRY(spec.channel, Result<ChannelSpec>(proposal.channel));
  return Task::create(std::move(spec));
}

// The parts of a class, by the symmetry of tasks, found when a task first needs them.
class Parts {
 public:
  Parts(const Workload& workload, const Schema& schema) : workload_(workload), schema_(schema) {}

  // Nothing for a list of queries. Errors: kLimitExceeded.
  Result<const std::vector<ClassPart>*> of(Symmetry symmetry) {
    auto known = parts_.find(symmetry);
    if (known == parts_.end()) {
      std::optional<std::vector<ClassPart>> found;
      if (const auto* conjunctions = std::get_if<Conjunctions>(&workload_)) {
        found = class_parts(*conjunctions, schema_, symmetry);
      } else {
        found = class_parts(std::get<Functions>(workload_), schema_, symmetry);
      }
      known = parts_.emplace(symmetry, std::move(found)).first;
    }
    if (known->second) return &*known->second;
    return Error{ErrorCode::kLimitExceeded, "too many choices of attributes to find the worst query"};
  }

 private:
  const Workload& workload_;
  const Schema& schema_;
  std::map<Symmetry, std::optional<std::vector<ClassPart>>> parts_;
};

bool asks_parities(const Task& task) {
  const auto* channel = std::get_if<SampledChannel>(&task.channel().kind());
  return channel != nullptr && symmetry_of(task) == Symmetry::kBitPatterns && channel->asks_parities();
}

// Plans one by one the queries of which there are upper bounds only, the dearest first, until the bounds of the rest
// are below the largest found.
Result<void> plan_dearest(const Task& task, const Target& target, std::vector<Result<PlannedQuery>>& lines) {
  double worst = 0;
  double among = 0;
  std::vector<PlannedQuery*> bounded;
  for (Result<PlannedQuery>& line : lines) {
    if (!line->variance.exact) {
      bounded.push_back(&*line);
      continue;
    }
    worst = std::max(worst, line->variance.worst);
    among = std::max(among, line->variance.worst_among_reporters);
  }
  std::stable_sort(bounded.begin(), bounded.end(), [](const PlannedQuery* a, const PlannedQuery* b) {
    return a->variance.worst_among_reporters > b->variance.worst_among_reporters;
  });
  for (PlannedQuery* line : bounded) {
    if (line->variance.worst > worst || line->variance.worst_among_reporters > among) {
      HEARSAY_TRY(*line, std::move(plan(task, {line->query}, target).front()));
      worst = std::max(worst, line->variance.worst);
      among = std::max(among, line->variance.worst_among_reporters);
    } else {
      line->users_exact = 0;  // less than another's, and so is the variance
      line->limit_ratio = 0;
      line->variance.exact = true;
    }
  }
  return {};
}

// The plan of a list of queries, or of the queries that stand for a class, which tell the average only.
Result<WorkloadPlan> plan_list(const Task& task, const std::vector<Query>& queries, bool is_class,
                               const Target& target) {
  WorkloadPlan result{compiler::Guarantee::kWorstCase, 0, false, true, 0, 0, 0, "", 0};
  const bool quick = asks_parities(task);
  std::vector<Result<PlannedQuery>> lines = quick ? quick_plan(task, queries, target) : plan(task, queries, target);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool of_a_bound = quick && !lines[i] && lines[i].error().code == ErrorCode::kOverflow;
    if (of_a_bound) lines[i] = std::move(plan(task, {queries[i]}, target).front());
    if (!lines[i]) return lines[i].error();
  }
  if (quick && !is_class) HEARSAY_CHECK_OK(plan_dearest(task, target, lines));
  double average = 0;
  for (const Result<PlannedQuery>& line : lines) {
    if (line->guarantee == compiler::Guarantee::kAverageCase) result.guarantee = compiler::Guarantee::kAverageCase;
    if (line->users_exact >= result.users_worst) {
      result.users_worst = line->users_exact;
      result.near_normal = near_normal(line->variance, line->users_exact);
      result.worst_query = line->query.as_written(task.schema());
    }
    average += static_cast<double>(line->users_average) / static_cast<double>(queries.size());
    result.at_most = result.at_most || !line->variance.exact;
    result.limit_ratio = std::max(result.limit_ratio, line->limit_ratio);
    result.influence = std::max(result.influence, line->variance.influence);
    result.report_bytes = line->report_bytes;
  }
  result.users_average = static_cast<std::uint64_t>(std::ceil(average));
  return result;
}

// Of a class the representatives tell the average, and whether it can be answered at all; the worst is the whole
// class's.
Result<WorkloadPlan> plan_workload(const Task& task, const Workload& workload, const std::vector<Query>& queries,
                                   Parts& parts, const Target& target) {
  const bool is_list = std::holds_alternative<std::vector<Query>>(workload);
  HEARSAY_TRY(WorkloadPlan result, plan_list(task, queries, !is_list, target));
  if (is_list) return result;
  const std::vector<ClassPart> none;
  const std::vector<ClassPart>* of_task = &none;
  if (has_parts(task, workload)) {
    HEARSAY_TRY(of_task, parts.of(symmetry_of(task)));
  }
  HEARSAY_TRY(const WorstQuery worst, worst_query(task, workload, *of_task));
  HEARSAY_TRY(result.users_worst, users_for(worst.variance.worst_among_reporters, 0, target));
  if (has_only<Means>(workload)) {
    HEARSAY_TRY(result.users_average,
                users_for(std::min(worst.variance.average, worst.variance.worst_among_reporters), 0, target));
  }
  result.users_average = std::min(result.users_average, result.users_worst);
  result.at_most = !worst.variance.exact;
  result.near_normal = near_normal(worst.variance, result.users_worst);
  result.limit_ratio = limit_ratio(worst.variance.worst, task.epsilon().approximate());
  result.influence = worst.variance.influence;
  result.worst_query = worst.query;
  return result;
}

std::string percent(double part) { return part < 0.005 ? "<1 %" : std::to_string(std::lround(100 * part)) + " %"; }

bool better(const Candidate& a, const Candidate& b) {
  if (!a.plan || !b.plan) return static_cast<bool>(a.plan) && !b.plan;
  if (a.plan->guarantee != b.plan->guarantee) return a.plan->guarantee == compiler::Guarantee::kWorstCase;
  return a.plan->users_worst < b.plan->users_worst;
}

}  // namespace

Result<std::vector<Candidate>> candidates(const TaskSpec& base, const Workload& workload, const Target& target) {
  HEARSAY_CHECK_OK(check_target(target));
  HEARSAY_TRY(std::vector<Query> queries, representatives(workload, base.schema));
  // Who can answer prefixes can answer means.
  if (queries.empty()) {
    HEARSAY_TRY(queries, representatives(Prefixes{}, base.schema));
  }
  std::vector<Proposal> proposals;
  if (is_ordered(workload)) {
    proposals.push_back(
        {"characters, planned singles", CharactersSpec{order_of(workload)},
         channel_of(plan_questions(base.schema, workload, for_ranges(QuestionFamily::kParities, base.schema)))});
  } else {
    if (has_only<std::vector<Query>, Conjunctions, Functions>(workload)) propose_literals(base.epsilon, proposals);
    propose_characters(base, workload, queries, proposals);
  }
  const bool has_ranges = !integer_ranges(base.schema).empty();
  if (has_ranges && !has_only<Functions>(workload)) propose_questions(base, workload, proposals);
  if (std::optional<SampledSpec> mixed = mixed_circles(base.schema, workload)) {
    proposals.push_back({"half-circles for all classes", CharactersSpec{1}, ChannelSpec(*std::move(mixed))});
  }
  for (WideProposal& wide : wide_questions(base.schema, workload, base.epsilon.approximate())) {
    proposals.push_back({std::move(wide.name), CharactersSpec{order_of(workload)}, as_channel(std::move(wide.spec))});
  }

  Parts parts(workload, base.schema);
  std::vector<Candidate> list;
  for (const Proposal& proposal : proposals) {
    Result<Task> task = make_task(base, proposal);
    Result<WorkloadPlan> planned =
        task ? plan_workload(*task, workload, queries, parts, target) : Result<WorkloadPlan>(task.error());
    list.push_back({proposal.name, std::move(task), std::move(planned)});
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
  return text + (equal ? "; sets of attributes equally likely" : "; sets of attributes by their odds");
}

}  // namespace hearsay::planner
