// Symbols: those of report_variance.cc. Given the people, the mean of the estimate is L̄, the average of L(x) over the
// people. The fraction among the people is f̄. So the error is (estimate - L̄) + (L̄ - f̄). The first part comes from
// the channel. n times the variance of the first part is n·Var of the estimate minus Var L. The second part comes from
// the drawn people. The mean of the second part is E[L - f], and n times its variance is Var(L - f).

#include "aggregator/planner/predicted_error.h"

#include <cstdint>
#include <map>
#include <utility>

#include "aggregator/planner/character_variance.h"
#include "aggregator/planner/literal_variance.h"
#include "aggregator/planner/question_variance.h"
#include "aggregator/planner/strategy_variance.h"
#include "aggregator/tails/query_error.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "common/task/coarsening.h"

namespace hearsay::planner {
namespace {

using Values = std::vector<std::uint32_t>;

Values values_of(const Record& record, std::span<const std::uint32_t> attributes) {
  Values values;
  for (const std::uint32_t i : attributes) values.push_back(record[i]);
  return values;
}

// Returns the population with one record for each combination of the attributes' values that occurs.
Census joined(const Census& people, std::span<const std::uint32_t> attributes) {
  std::map<Values, std::size_t> place;
  Census joined;
  for (std::size_t i = 0; i < people.records.size(); ++i) {
    const auto [at, fresh] = place.emplace(values_of(people.records[i], attributes), joined.records.size());
    if (fresh) {
      joined.records.push_back(people.records[i]);
      joined.parts.push_back(0);
    }
    joined.parts[at->second] += people.parts[i];
  }
  return joined;
}

// Returns `people`. If the task has cuts, the records hold cells in place of values.
Census asked_of(const Task& task, const Census& people) {
  Census asked = people;
  if (task.coarsening() == nullptr) return asked;
  for (Record& record : asked.records) record = task.coarsening()->coarse(record);
  return asked;
}

double channel_variance(const Task& task, const compiler::LinearQuery& linear, const Census& people) {
  if (const auto* laplace = std::get_if<LaplaceChannel>(&task.channel().kind())) {
    return tails::noise_variance(*laplace, linear);
  }
  if (std::holds_alternative<StrategyChannel>(task.channel().kind())) {
    return strategy_variance_among(task, linear, people.records, people.parts);
  }
  if (std::holds_alternative<Literals>(task.arrangement().kind())) {
    return literal_variance_among(task, linear, people.records, people.parts);
  }
  if (!linear.terms.empty()) return QuestionVariance(task, linear).among(people.records, people.parts);
  const CharacterVariance variance(task, linear);
  std::vector<double> cells(variance.cube().size(), 0.0);
  for (std::size_t i = 0; i < people.records.size(); ++i) {
    std::size_t cell = 0;
    for (const compiler::BitCube::Axis& axis : variance.cube().axes()) {
      cell |= std::size_t{people.records[i][axis.attribute]} << axis.shift;
    }
    cells[cell] += people.parts[i];
  }
  return variance.among(linear, cells);
}

}  // namespace

Census census_of(std::span<const Record> people) {
  if (people.empty()) return {};
  Values all;
  for (std::uint32_t i = 0; i < people.front().values().size(); ++i) all.push_back(i);
  const std::vector<double> alike(people.size(), 1.0 / static_cast<double>(people.size()));
  return joined({{people.begin(), people.end()}, alike}, all);
}

PredictedError predicted_error(const Task& task, const Query& query, const compiler::LinearQuery& linear,
                               const Census& people) {
  if (linear.weights.empty() && linear.terms.empty()) return {0, 0};
  if (linear.guarantee == compiler::Guarantee::kWorstCase) {
    return {channel_variance(task, linear, asked_of(task, people)), 0};
  }
  // A coordinate of explicit vectors may depend on any attribute.
  const bool any = std::holds_alternative<Explicit>(task.arrangement().kind());
  const Census few = any ? people : joined(people, query.attributes());
  // The paper's homogeneous coordinate comes last. A report holds only the noise of this coordinate, not its constant.
  std::vector<std::int8_t> embedding(task.arrangement().dimension() + 1, 0);
  double mean = 0;
  double square = 0;
  for (std::size_t i = 0; i < few.records.size(); ++i) {
    task.arrangement().encode(few.records[i], std::span(embedding).first(embedding.size() - 1));
    double off = linear.offset - (query.evaluate(few.records[i]) ? 1 : 0);
    for (const compiler::LinearQuery::Weight& weight : linear.weights)
      off += weight.value * embedding[weight.coordinate];
    mean += few.parts[i] * off;
    square += few.parts[i] * off * off;
  }
  return {channel_variance(task, linear, few) + square - mean * mean, mean};
}

}  // namespace hearsay::planner
