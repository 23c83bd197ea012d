#include "aggregator/planner/worst_query.h"

#include <algorithm>
#include <utility>

#include "aggregator/compiler/compile.h"
#include "aggregator/planner/character_variance.h"
#include "aggregator/planner/class_bound.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

class Worst {
 public:
  explicit Worst(const Task& task) : task_(task) {}

  // Whether nothing of the kind can raise the result.
  bool covers(const ReportVariance& variance) const {
    return result_.variance.worst >= variance.worst &&
           result_.variance.worst_among_reporters >= variance.worst_among_reporters;
  }

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
  bool exact_ = true;  // of the largest `worst`
};

// Queries are tried from the largest bound down, until the bounds are below the largest found.
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

}  // namespace

Symmetry symmetry_of(const Task& task) {
  if (std::holds_alternative<Characters>(task.arrangement().kind())) return Symmetry::kBitPatterns;
  const auto* sampled = std::get_if<SampledSpec>(&task.spec().channel);
  return sampled != nullptr && sampled->group_size > 1 ? Symmetry::kNone : Symmetry::kLiterals;
}

Result<WorstQuery> worst_query(const Task& task, const Workload& workload, const std::vector<ClassPart>& parts) {
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
    worst.add(bound, "a bound for all queries on " + compiler::names(task.schema(), part.attributes));
  }
  return worst.result();
}

}  // namespace hearsay::planner
