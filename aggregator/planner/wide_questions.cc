#include "aggregator/planner/wide_questions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "aggregator/planner/arc_weights.h"
#include "aggregator/planner/level_weights.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/point_questions.h"
#include "aggregator/planner/product_query.h"
#include "common/base/try.h"
#include "common/channel/questions.h"
#include "common/channel/sampled.h"

namespace hearsay::planner {
namespace {

constexpr std::uint32_t kMostArcValues = 1U << 11U;
// The most bits of a value that a question may ask for whole.
constexpr std::uint32_t kMostWholeBits = 8;

using AskedTogether = std::set<std::uint32_t>;

void add_integer_ranges(const Schema& schema, std::set<AskedTogether>& sets) {
  for (const std::uint32_t attribute : integer_ranges(schema)) sets.insert({attribute});
}

// Returns the sets of attributes that the workload asks about together, without sets that are subsets of others.
// Returns nothing for workloads that ask about all sets of several attributes, or that have queries that are no
// products.
std::optional<std::set<AskedTogether>> asked_sets(const Workload& workload, const Schema& schema) {
  std::set<AskedTogether> sets;
  for (const Mixture::Part& part : parts_of(workload)) {
    const auto* boxes = std::get_if<Boxes>(&part.workload);
    if (std::holds_alternative<Ranges>(part.workload) || std::holds_alternative<Prefixes>(part.workload) ||
        std::holds_alternative<Means>(part.workload) || (boxes != nullptr && boxes->ranges == 1)) {
      add_integer_ranges(schema, sets);
    } else if (const auto* queries = std::get_if<std::vector<Query>>(&part.workload)) {
      for (const Query& query : *queries) {
        const std::optional<ProductFunction> product = product_of(query, schema);
        if (!product) return std::nullopt;
        AskedTogether set;
        for (const ProductFunction::Part& one : product->parts) set.insert(one.attribute);
        if (!set.empty()) sets.insert(std::move(set));
      }
    } else if (const auto* conjunctions = std::get_if<Conjunctions>(&part.workload);
               conjunctions != nullptr && conjunctions->literals == 1) {
      for (std::uint32_t i = 0; i < schema.size(); ++i) sets.insert({i});
    } else {
      return std::nullopt;
    }
  }
  std::set<AskedTogether> largest;
  for (const AskedTogether& set : sets) {
    const auto is_part_of = [&set](const AskedTogether& other) {
      return other.size() > set.size() && std::includes(other.begin(), other.end(), set.begin(), set.end());
    };
    if (std::none_of(sets.begin(), sets.end(), is_part_of)) largest.insert(set);
  }
  return largest;
}

std::uint32_t answers_to(const QuestionSpec& questions, std::uint32_t values) {
  return Questions::create(questions, values)->answers();
}

// Asks for the value itself. With probability γ the answer is the truth. Otherwise all K answers are equally likely. So
// a range takes 1/(γc)² times the limit c²/4, c = (e^ε+1)/(e^ε-1).
Result<RangeQuestions> whole_value(std::uint32_t values, double epsilon, std::uint32_t attributes) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(values - 1));
  if (bits > kMostWholeBits || bits * attributes > SampledChannel::kMaxWidth) {
    return Error{ErrorCode::kLimitExceeded, "a value of " + std::to_string(bits) + " bits is too long for an answer"};
  }
  const double gamma = std::expm1(epsilon) / (std::expm1(epsilon) + std::pow(values, attributes));
  const double c = 1 / std::tanh(epsilon / 2);
  const bool fills_bits = values == 1U << bits;
  const QuestionSpec questions = fills_bits ? QuestionSpec(ParityQuestions{bits}) : HashQuestions{values};
  return RangeQuestions{questions, bits, 1 / (gamma * gamma * c * c)};
}

// Finds the questions for ordered attributes, once for each number of values. If `only_whole`, a question asks for the
// whole value. Otherwise takes the better of this question and range_questions().
class RangePlans {
 public:
  RangePlans(const FindRangeQuestions& find, double epsilon, std::uint32_t attributes, bool only_whole = false)
      : find_(find), epsilon_(epsilon), attributes_(attributes), only_whole_(only_whole) {}

  const Result<RangeQuestions>& of(std::uint32_t values) {
    auto known = plans_.find(values);
    if (known == plans_.end()) known = plans_.emplace(values, plan(values)).first;
    return known->second;
  }

 private:
  Result<RangeQuestions> plan(std::uint32_t values) const {
    Result<RangeQuestions> whole = whole_value(values, epsilon_, attributes_);
    if (only_whole_) return whole;
    Result<RangeQuestions> planned = find_(values, epsilon_, attributes_);
    if (!planned || (whole && whole->limit_ratio < planned->limit_ratio)) return whole;
    return planned;
  }

  const FindRangeQuestions& find_;
  double epsilon_;
  std::uint32_t attributes_;
  bool only_whole_;
  std::map<std::uint32_t, Result<RangeQuestions>> plans_;
};

// Asks about each attribute alone. A question asked with probability s has 1/s times the variance. So shares in
// proportion to the variances make the variances equal.
std::optional<SampledSpec> alone(const Schema& schema, const AskedTogether& asked, double epsilon, bool rare,
                                 RangePlans& ranges) {
  constexpr double kScale = 1U << 20U;
  SampledSpec spec;
  spec.questions.assign(schema.size(), ParityQuestions{});
  std::vector<double> ratios;
  for (const std::uint32_t attribute : asked) {
    const std::uint32_t values = schema[attribute].size();
    std::uint32_t bits = 1;
    if (schema[attribute].kind() == AttributeKind::kRange) {
      const Result<RangeQuestions>& plan = ranges.of(values);
      if (!plan) return std::nullopt;
      spec.questions[attribute] = plan->questions;
      bits = plan->bits;
      ratios.push_back(plan->limit_ratio);
    } else {
      const PointQuestions points =
          rare ? questions_for_rare_points(values, epsilon) : questions_for_all_points(values, epsilon);
      bits = static_cast<std::uint32_t>(std::bit_width(points.answers - 1));
      spec.questions[attribute] = points.questions;
      ratios.push_back(limit_ratio(rare ? points.variance.rare : points.variance.worst, epsilon));
    }
    const GroupKind kind = bits == 1 ? GroupKind::kSingle : GroupKind::kRaw;
    spec.groups.push_back({.kind = kind, .size = 1, .weight = 1, .attributes = {attribute}});
  }
  const double largest = ratios.empty() ? 1 : *std::max_element(ratios.begin(), ratios.end());
  for (std::size_t g = 0; g < spec.groups.size(); ++g) {
    spec.groups[g].weight = std::max(1U, static_cast<std::uint32_t>(std::lround(kScale * ratios[g] / largest)));
  }
  return spec;
}

// Asks about all sets of `size` ordered attributes.
std::optional<SampledSpec> together(const Schema& schema, std::uint32_t size, RangePlans& ranges) {
  const std::vector<std::uint32_t> attributes = integer_ranges(schema);
  SampledSpec spec;
  spec.questions.assign(schema.size(), ParityQuestions{});
  std::optional<std::uint32_t> bits;
  for (const std::uint32_t attribute : attributes) {
    const Result<RangeQuestions>& plan = ranges.of(schema[attribute].size());
    if (!plan || (bits && *bits != plan->bits && attributes.size() > size)) return std::nullopt;
    bits = plan->bits;
    spec.questions[attribute] = plan->questions;
  }
  if (!bits || attributes.size() < size) return std::nullopt;
  // All sets of attributes must have the same number of answers.
  std::set<std::uint32_t> answers;
  for (const std::uint32_t i : attributes) answers.insert(answers_to(spec.questions[i], schema[i].size()));
  if (attributes.size() > size && answers.size() > 1) {
    for (const std::uint32_t i : attributes) {
      if (std::holds_alternative<HashQuestions>(spec.questions[i])) spec.questions[i] = ParityQuestions{*bits};
    }
  }
  spec.groups = {{.kind = GroupKind::kRaw, .size = size, .weight = 1, .attributes = attributes}};
  return spec;
}

// Asks about each set of attributes in `sets` equally often. An attribute has the questions that are best for the
// largest of its sets.
std::optional<SampledSpec> on_sets(const Schema& schema, const std::set<AskedTogether>& sets, double epsilon,
                                   bool whole, const FindRangeQuestions& find) {
  std::map<std::uint32_t, std::uint32_t> together_with;  // by attribute: the size of its largest set
  for (const AskedTogether& set : sets) {
    for (const std::uint32_t attribute : set) {
      std::uint32_t& size = together_with[attribute];
      size = std::max(size, static_cast<std::uint32_t>(set.size()));
    }
  }
  std::map<std::uint32_t, RangePlans> plans;
  SampledSpec spec;
  spec.questions.assign(schema.size(), ParityQuestions{});
  std::map<std::uint32_t, std::uint32_t> bits;
  for (const auto& [attribute, size] : together_with) {
    const std::uint32_t values = schema[attribute].size();
    if (schema[attribute].kind() == AttributeKind::kRange) {
      const Result<RangeQuestions>& plan = plans.try_emplace(size, find, epsilon, size, whole).first->second.of(values);
      if (!plan) return std::nullopt;
      spec.questions[attribute] = plan->questions;
      bits[attribute] = plan->bits;
    } else {
      const PointQuestions points = questions_for_all_points(values, epsilon / size);
      bits[attribute] = static_cast<std::uint32_t>(std::bit_width(points.answers - 1));
      spec.questions[attribute] = points.questions;
    }
  }
  for (const AskedTogether& set : sets) {
    std::uint32_t width = 0;
    for (const std::uint32_t attribute : set) width += bits[attribute];
    if (width > SampledChannel::kMaxWidth) return std::nullopt;
    spec.groups.push_back({.kind = width == 1 ? GroupKind::kSingle : GroupKind::kRaw,
                           .size = static_cast<std::uint32_t>(set.size()),
                           .weight = 1,
                           .attributes = {set.begin(), set.end()}});
  }
  return spec;
}

// Asks one parity of one level, all levels equally often. These questions serve attributes with too many values to plan
// weights. A range cuts at most two nodes of a level; the dearest range cuts each at a third or two thirds
// (large_levels.h).
RangeQuestions each_level(std::uint32_t values) {
  constexpr double kPerLevel = 0.88;  // the factor for the dearest range of 2^14 to 2^20 values
  const auto bits = static_cast<std::uint32_t>(std::bit_width(values - 1));
  LevelQuestions questions;
  for (std::uint32_t level = 0; level < bits; ++level) questions.levels.push_back({level});
  questions.weights.assign(bits, 1);
  return {questions, 1, kPerLevel * bits * bits};
}

}  // namespace

Result<RangeQuestions> range_questions(std::uint32_t values, double epsilon, std::uint32_t attributes) {
  if (values < 4) {
    return Error{ErrorCode::kInvalidArgument,
                 "no questions of several bits about ranges of " + std::to_string(values) + " values"};
  }
  if (values > LevelLaw::kMostValues) return each_level(values);
  // This width was best for one attribute in trials with answers of 1 to 6 bits and ε from 0.5 to 6.
  const double width = std::round((0.585 + 1.125 * epsilon) / attributes);
  const auto value_bits = static_cast<std::uint32_t>(std::bit_width(values - 1));
  const std::uint32_t most = std::min({value_bits - 1, 16 / attributes, 6U});
  const auto bits = static_cast<std::uint32_t>(std::clamp(width, 1.0, static_cast<double>(std::max(1U, most))));
  std::optional<RangeQuestions> best;
  if (values <= kMostArcValues) {
    HEARSAY_TRY(PlannedArcs arcs, plan_arcs(values, bits, epsilon, bits * attributes));
    best = RangeQuestions{std::move(arcs.questions), bits, arcs.limit_ratio};
  }
  // For 65 to 1,024 values, arcs were better than levels in all comparisons.
  if (values > kMostArcValues || value_bits <= 6) {
    const Result<PlannedLevels> levels = plan_levels(values, bits, epsilon, bits * attributes);
    if (levels && (!best || levels->limit_ratio < best->limit_ratio)) {
      best = RangeQuestions{levels->questions, bits, levels->limit_ratio};
    }
    if (!best) return levels.error();
  }
  return *std::move(best);
}

std::vector<WideProposal> wide_questions(const Schema& schema, const Workload& workload, double epsilon,
                                         const FindRangeQuestions& find) {
  std::vector<WideProposal> proposals;
  const auto propose = [&](std::string name, std::optional<SampledSpec> spec) {
    if (spec && !spec->groups.empty()) proposals.push_back({std::move(name), *std::move(spec)});
  };
  if (const auto* boxes = std::get_if<Boxes>(&workload); boxes != nullptr && boxes->ranges > 1) {
    const std::string attributes = std::to_string(boxes->ranges) + " attributes";
    RangePlans ranges(find, epsilon, boxes->ranges);
    propose("characters, answers of several bits about " + attributes, together(schema, boxes->ranges, ranges));
    RangePlans whole(find, epsilon, boxes->ranges, true);
    propose("characters, whole values of " + attributes, together(schema, boxes->ranges, whole));
    return proposals;
  }
  const auto sets = asked_sets(workload, schema);
  if (!sets) return proposals;
  AskedTogether asked;
  bool are_alone = true;
  for (const AskedTogether& set : *sets) {
    asked.insert(set.begin(), set.end());
    are_alone = are_alone && set.size() == 1;
  }
  if (!are_alone) {
    propose("characters, answers of several bits about these attributes", on_sets(schema, *sets, epsilon, false, find));
    propose("characters, whole values of these attributes", on_sets(schema, *sets, epsilon, true, find));
    return proposals;
  }
  RangePlans ranges(find, epsilon, 1);
  std::optional<SampledSpec> worst = alone(schema, asked, epsilon, false, ranges);
  std::optional<SampledSpec> rare = alone(schema, asked, epsilon, true, ranges);
  const bool alike = worst == rare;
  propose("characters, answers of several bits", std::move(worst));
  if (!alike) propose("characters, answers of several bits for rare values", std::move(rare));
  return proposals;
}

}  // namespace hearsay::planner
