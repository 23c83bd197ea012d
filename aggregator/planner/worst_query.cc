#include "aggregator/planner/worst_query.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "aggregator/compiler/compile.h"
#include "aggregator/compiler/question_law.h"
#include "aggregator/planner/character_variance.h"
#include "aggregator/planner/class_bound.h"
#include "aggregator/planner/function_bound.h"
#include "aggregator/planner/product_class.h"
#include "aggregator/planner/question_variance.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"

namespace hearsay::planner {
namespace {

class Worst {
 public:
  explicit Worst(const Task& task) : task_(task) {}

  // Returns true if a query with the variance `variance` cannot raise the result.
  bool covers(const ReportVariance& variance) const {
    return result_.variance.worst >= variance.worst &&
           result_.variance.worst_among_reporters >= variance.worst_among_reporters;
  }

  void add(const WorstQuery& part) { add(part.variance, part.query); }

  void add_extents(const ReportVariance& variance) {
    result_.variance.average = std::max(result_.variance.average, variance.average);
    result_.variance.influence = std::max(result_.variance.influence, variance.influence);
  }

  void add(const ReportVariance& variance, const std::string& query) {
    add_extents(variance);
    ReportVariance& worst = result_.variance;
    if (variance.worst >= worst.worst) {
      worst.worst = variance.worst;
      exact_ = variance.exact;
    }
    if (variance.worst_among_reporters >= worst.worst_among_reporters) {
      worst.worst_among_reporters = variance.worst_among_reporters;
      worst.kurtosis = variance.kurtosis;
      worst.exact = variance.exact;
      result_.query = query;
    }
  }
  void add(const ReportVariance& variance, const Query& query) { add(variance, query.to_string(task_.schema())); }

  WorstQuery result() const {
    WorstQuery result = result_;
    result.variance.exact = result.variance.exact && exact_;
    return result;
  }

 private:
  const Task& task_;
  WorstQuery result_{};
  bool exact_ = true;  // true if the largest `worst` is exact
};

// Tries queries, starting with the largest bound, until the remaining bounds are below the largest variance found.
Result<void> try_on_characters(const Task& task, const ClassPart& part, Worst& worst) {
  struct Tried {
    const Query* query;
    compiler::LinearQuery linear;
    ReportVariance bound;
  };
  const CharacterVariance variance(task, part.attributes);
  std::vector<Tried> tried;
  for (const Query& query : *part.queries) {
    compiler::Work work;
    HEARSAY_TRY(compiler::CompiledQuery compiled, compiler::compile(task, query, work));
    const ReportVariance bound = variance.bound(compiled.linear);
    tried.push_back({&query, std::move(compiled.linear), bound});
  }
  std::stable_sort(tried.begin(), tried.end(), [](const Tried& a, const Tried& b) {
    return a.bound.worst_among_reporters > b.bound.worst_among_reporters;
  });
  for (const Tried& one : tried) {
    worst.add_extents(one.bound);
    if (!worst.covers(one.bound)) worst.add(variance.of(one.linear), *one.query);
  }
  return {};
}

Result<void> try_all(const Task& task, const ClassPart& part, Worst& worst) {
  if (symmetry_of(task) == Symmetry::kBitPatterns && std::holds_alternative<SampledChannel>(task.channel().kind())) {
    return try_on_characters(task, part, worst);
  }
  for (const Query& query : *part.queries) {
    compiler::Work work;
    HEARSAY_TRY(const compiler::CompiledQuery compiled, compiler::compile(task, query, work));
    worst.add(report_variance(task, query, compiled.linear), query);
  }
  return {};
}

const SampledChannel* sampled_characters(const Task& task) {
  const bool characters = std::holds_alternative<Characters>(task.arrangement().kind());
  return characters ? std::get_if<SampledChannel>(&task.channel().kind()) : nullptr;
}

Error too_many_choices() {
  return {ErrorCode::kLimitExceeded,
          "too many choices of attributes to find the worst query: plan fewer literals or attributes together, or a "
          "list of queries"};
}

std::string bound_on(const Task& task, const ClassPart& part) {
  return "a bound for all queries on " + compiler::names(task.schema(), part.attributes);
}

Result<void> try_list(const Task& task, const std::vector<Query>& queries, Worst& worst) {
  for (const Query& query : queries) {
    compiler::Work work;
    HEARSAY_TRY(const compiler::CompiledQuery compiled, compiler::compile(task, query, work));
    worst.add(report_variance(task, query, compiled.linear), query);
  }
  return {};
}

// Returns the variance of the mean of an integer range whose values are scaled to 0 to 1.
Result<WorstQuery> worst_of_mean(const Task& task, const SampledChannel& channel, std::uint32_t attribute) {
  const Questions& questions = channel.questions(attribute);
  std::vector<double> part_of_span(questions.values());
  for (std::uint32_t x = 0; x < questions.values(); ++x) {
    part_of_span[x] = x / static_cast<double>(questions.values() - 1);
  }
  if (!channel.asks({&attribute, 1})) {
    return Error{ErrorCode::kQueryNotCovered,
                 "the task does not ask about " + compiler::names(task.schema(), {&attribute, 1})};
  }
  HEARSAY_TRY(compiler::QuestionLaw::Solution solution, compiler::QuestionLaw(questions).solve(part_of_span));
  compiler::LinearQuery linear;
  linear.terms.push_back({1, {{attribute, solution.mean, std::move(solution.weights), solution.energy}}});
  WorstQuery worst{QuestionVariance(task, linear).worst(),
                   "the mean of " + compiler::names(task.schema(), {&attribute, 1})};
  worst.variance.exact = worst.variance.exact && !channel.asks_parities();
  return worst;
}

// Finds the largest variance of a workload. Serves tasks that ask other questions than parities, and classes of ranges,
// prefixes, boxes and means.
struct OfQuestions {
  const Task& task;
  const SampledChannel& channel;
  Worst& worst;

  Result<void> products(std::vector<std::uint32_t> attributes, std::uint32_t most, Indicators indicators) const {
    HEARSAY_TRY(const WorstQuery found, worst_product(task, {std::move(attributes), most, indicators}));
    worst.add(found);
    return {};
  }

  Result<void> operator()(const std::vector<Query>& queries) const { return try_list(task, queries, worst); }
  Result<void> operator()(const Conjunctions& workload) const {
    std::vector<std::uint32_t> all(task.schema().size());
    std::iota(all.begin(), all.end(), 0U);
    return products(std::move(all), workload.literals, Indicators::kLiterals);
  }
  Result<void> operator()(const Functions& workload) const {
    const auto parts = class_parts(workload, task.schema(), Symmetry::kNone);
    if (!parts) return too_many_choices();
    for (const ClassPart& part : *parts) {
      if (part.queries) {
        HEARSAY_CHECK_OK(try_list(task, *part.queries, worst));
        continue;
      }
      HEARSAY_TRY(const ReportVariance bound, function_bound(task, part.attributes));
      worst.add(bound, bound_on(task, part));
    }
    return {};
  }
  Result<void> operator()(const Ranges&) const {
    return products(integer_ranges(task.schema()), 1, Indicators::kRanges);
  }
  Result<void> operator()(const Prefixes&) const {
    return products(integer_ranges(task.schema()), 1, Indicators::kPrefixes);
  }
  Result<void> operator()(const Boxes& workload) const {
    return products(integer_ranges(task.schema()), workload.ranges, Indicators::kRanges);
  }
  Result<void> operator()(const Means&) const {
    for (const std::uint32_t attribute : integer_ranges(task.schema())) {
      HEARSAY_TRY(const WorstQuery found, worst_of_mean(task, channel, attribute));
      worst.add(found);
    }
    return {};
  }
  Result<void> operator()(const Mixture&) const { return {}; }  // parts_of() has taken mixtures apart
};

Result<WorstQuery> worst_of_parts(const Task& task, const Workload& workload, const std::vector<ClassPart>& parts) {
  Worst worst(task);
  for (const ClassPart& part : parts) {
    if (part.queries) {
      HEARSAY_CHECK_OK(try_all(task, part, worst));
      continue;
    }
    const auto* conjunctions = std::get_if<Conjunctions>(&workload);
    HEARSAY_TRY(const ReportVariance bound, conjunctions != nullptr
                                                ? class_bound(task, *conjunctions, part.attributes)
                                                : class_bound(task, std::get<Functions>(workload), part.attributes));
    worst.add(bound, bound_on(task, part));
  }
  return worst.result();
}

Result<std::vector<ClassPart>> parts_of_class(const Workload& workload, const Task& task) {
  const auto* conjunctions = std::get_if<Conjunctions>(&workload);
  auto parts = conjunctions != nullptr ? class_parts(*conjunctions, task.schema(), symmetry_of(task))
                                       : class_parts(std::get<Functions>(workload), task.schema(), symmetry_of(task));
  if (parts) return *std::move(parts);
  return too_many_choices();
}

Result<WorstQuery> worst_of_one(const Task& task, const Workload& workload, const std::vector<ClassPart>& parts) {
  Worst worst(task);
  if (const auto* queries = std::get_if<std::vector<Query>>(&workload)) {
    HEARSAY_CHECK_OK(try_list(task, *queries, worst));
    return worst.result();
  }
  const SampledChannel* channel = sampled_characters(task);
  if (has_parts(task, workload)) return worst_of_parts(task, workload, parts);
  if (channel == nullptr) {
    return Error{ErrorCode::kLimitExceeded, "ranges, boxes and means are planned for `sampled` on characters only"};
  }
  HEARSAY_CHECK_OK(std::visit(OfQuestions{task, *channel, worst}, workload));
  return worst.result();
}

}  // namespace

Symmetry symmetry_of(const Task& task) {
  if (std::holds_alternative<Characters>(task.arrangement().kind())) return Symmetry::kBitPatterns;
  if (std::holds_alternative<Explicit>(task.arrangement().kind())) return Symmetry::kNone;
  const auto* sampled = std::get_if<SampledSpec>(&task.spec().channel);
  return sampled != nullptr && sampled->group_size > 1 ? Symmetry::kNone : Symmetry::kLiterals;
}

bool has_parts(const Task& task, const Workload& workload) {
  const bool is_symmetric =
      std::holds_alternative<Conjunctions>(workload) || std::holds_alternative<Functions>(workload);
  const SampledChannel* channel = sampled_characters(task);
  return is_symmetric && (channel == nullptr || channel->asks_parities());
}

Result<WorstQuery> worst_query(const Task& task, const Workload& workload, const std::vector<ClassPart>& parts) {
  Worst worst(task);
  for (const Mixture::Part& part : parts_of(workload)) {
    std::optional<std::vector<ClassPart>> own;
    if (std::holds_alternative<Mixture>(workload) && has_parts(task, part.workload)) {
      HEARSAY_TRY(own, parts_of_class(part.workload, task));
    }
    HEARSAY_TRY(WorstQuery of_part, worst_of_one(task, part.workload, own ? *own : parts));
    of_part.variance.average *= part.weight;
    of_part.variance.worst *= part.weight;
    of_part.variance.worst_among_reporters *= part.weight;
    of_part.variance.influence *= std::sqrt(part.weight);
    worst.add(of_part);
  }
  return worst.result();
}

}  // namespace hearsay::planner
