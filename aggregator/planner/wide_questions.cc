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

namespace hearsay::planner {
namespace {

constexpr std::uint32_t kMostArcValues = 1U << 11U;
constexpr std::uint32_t kMostWholeBits = 8;  // beyond, other answers are better at every ε of use

// The attributes that the workload asks about, if reports about one attribute each answer it all.
std::optional<std::set<std::uint32_t>> asked_alone(const Workload& workload, const Schema& schema) {
  std::set<std::uint32_t> asked;
  for (const Mixture::Part& part : parts_of(workload)) {
    if (std::holds_alternative<Ranges>(part.workload)) {
      for (const std::uint32_t attribute : integer_ranges(schema)) asked.insert(attribute);
    } else if (const auto* queries = std::get_if<std::vector<Query>>(&part.workload)) {
      for (const Query& query : *queries) {
        const std::optional<ProductFunction> product = product_of(query, schema);
        if (!product || product->parts.size() > 1) return std::nullopt;
        for (const ProductFunction::Part& one : product->parts) asked.insert(one.attribute);
      }
    } else {
      return std::nullopt;
    }
  }
  return asked;
}

// The value itself, as an answer of all its bits. Of K answers each is as likely as any other if the truth is not told,
// so that a range takes 1/(γc)² times the limit.
Result<RangeQuestions> whole_value(std::uint32_t values, double epsilon, std::uint32_t attributes) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(values - 1));
  if (bits > kMostWholeBits || bits * attributes > SampledChannel::kMaxWidth) {
    return Error{ErrorCode::kLimitExceeded, "a value of " + std::to_string(bits) + " bits is too long for an answer"};
  }
  const double gamma = std::expm1(epsilon) / (std::expm1(epsilon) + std::exp2(bits * attributes));
  const double c = 1 / std::tanh(epsilon / 2);
  return RangeQuestions{ParityQuestions{bits}, bits, 1 / (gamma * gamma * c * c)};
}

// Finds the questions for ordered attributes of each number of values once.
class RangePlans {
 public:
  RangePlans(double epsilon, std::uint32_t attributes, bool whole = false)
      : epsilon_(epsilon), attributes_(attributes), whole_(whole) {}

  const Result<RangeQuestions>& of(std::uint32_t values) {
    auto known = plans_.find(values);
    if (known == plans_.end()) {
      known = plans_
                  .emplace(values, whole_ ? whole_value(values, epsilon_, attributes_)
                                          : range_questions(values, epsilon_, attributes_))
                  .first;
    }
    return known->second;
  }

 private:
  double epsilon_;
  std::uint32_t attributes_;
  bool whole_;
  std::map<std::uint32_t, Result<RangeQuestions>> plans_;
};

// Each attribute alone. Whatever is asked with probability s has 1/s times the variance, so that shares in proportion
// to the variances make them equal.
std::optional<SampledSpec> alone(const Schema& schema, const std::set<std::uint32_t>& asked, double epsilon, bool rare,
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
      bits = rare ? bits_for_rare_points(values, epsilon) : bits_for_all_points(values, epsilon);
      spec.questions[attribute] = ParityQuestions{bits};
      const PointVariance variance = point_variance(values, bits, epsilon);
      ratios.push_back(limit_ratio(rare ? variance.rare : variance.worst, epsilon));
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

// All sets of so many ordered attributes.
std::optional<SampledSpec> together(const Schema& schema, std::uint32_t size, RangePlans& ranges) {
  const std::vector<std::uint32_t> attributes = integer_ranges(schema);
  SampledSpec spec;
  spec.questions.assign(schema.size(), ParityQuestions{});
  std::optional<std::uint32_t> bits;
  for (const std::uint32_t attribute : attributes) {
    const Result<RangeQuestions>& plan = ranges.of(schema[attribute].size());
    // All sets of attributes must have answers of the same number of bits.
    if (!plan || (bits && *bits != plan->bits && attributes.size() > size)) return std::nullopt;
    bits = plan->bits;
    spec.questions[attribute] = plan->questions;
  }
  if (!bits || attributes.size() < size) return std::nullopt;
  spec.groups = {{.kind = GroupKind::kRaw, .size = size, .weight = 1, .attributes = attributes}};
  return spec;
}

}  // namespace

Result<RangeQuestions> range_questions(std::uint32_t values, double epsilon, std::uint32_t attributes) {
  if (values < 4 || values > LevelLaw::kMostValues) {
    return Error{ErrorCode::kInvalidArgument,
                 "no questions of several bits about ranges of " + std::to_string(values) + " values"};
  }
  // Best for one attribute among answers of 1 to 6 bits and ε from 0.5 to 6.
  const double width = std::round((0.585 + 1.125 * epsilon) / attributes);
  const auto value_bits = static_cast<std::uint32_t>(std::bit_width(values - 1));
  const std::uint32_t most = std::min({value_bits - 1, 16 / attributes, 6U});
  const auto bits = static_cast<std::uint32_t>(std::clamp(width, 1.0, static_cast<double>(std::max(1U, most))));
  std::optional<RangeQuestions> best;
  if (values <= kMostArcValues) {
    HEARSAY_TRY(PlannedArcs arcs, plan_arcs(values, bits, epsilon, bits * attributes));
    best = RangeQuestions{std::move(arcs.questions), bits, arcs.limit_ratio};
  }
  // Where arcs of 64 to 1,024 values were compared with levels, they were better.
  if (values > kMostArcValues || value_bits <= 6) {
    const Result<PlannedLevels> levels = plan_levels(values, bits, epsilon, bits * attributes);
    if (levels && (!best || levels->limit_ratio < best->limit_ratio)) {
      best = RangeQuestions{levels->questions, bits, levels->limit_ratio};
    }
    if (!best) return levels.error();
  }
  return *std::move(best);
}

std::vector<WideProposal> wide_questions(const Schema& schema, const Workload& workload, double epsilon) {
  std::vector<WideProposal> proposals;
  const auto propose = [&](std::string name, std::optional<SampledSpec> spec) {
    if (spec && !spec->groups.empty()) proposals.push_back({std::move(name), *std::move(spec)});
  };
  if (const auto* boxes = std::get_if<Boxes>(&workload); boxes != nullptr && boxes->ranges > 1) {
    const std::string attributes = std::to_string(boxes->ranges) + " attributes";
    RangePlans ranges(epsilon, boxes->ranges);
    propose("characters, answers of several bits about " + attributes, together(schema, boxes->ranges, ranges));
    RangePlans whole(epsilon, boxes->ranges, true);
    propose("characters, whole values of " + attributes, together(schema, boxes->ranges, whole));
    return proposals;
  }
  const bool one_range = std::holds_alternative<Boxes>(workload);
  const auto asked = asked_alone(one_range ? Workload(Ranges{}) : workload, schema);
  if (!asked) return proposals;
  RangePlans ranges(epsilon, 1);
  std::optional<SampledSpec> worst = alone(schema, *asked, epsilon, false, ranges);
  std::optional<SampledSpec> rare = alone(schema, *asked, epsilon, true, ranges);
  const bool alike = worst == rare;
  propose("characters, answers of several bits", std::move(worst));
  if (!alike) propose("characters, answers of several bits for rare values", std::move(rare));
  RangePlans whole(epsilon, 1, true);
  propose("characters, whole values", alone(schema, *asked, epsilon, false, whole));
  return proposals;
}

}  // namespace hearsay::planner
