// Finds a query among the queries for which a task with explicit vectors gives a vector.

#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "aggregator/compiler/compile_explicit.h"
#include "common/arrangement/arrangement.h"
#include "common/base/utf8.h"

namespace hearsay::compiler {
namespace {

constexpr std::uint64_t kStepsPerByte = 8;     // steps of parsing a text
constexpr std::uint64_t kStepsPerRecord = 32;  // steps of evaluating the query once

// Returns true if the query or its negation equals f on all records. Visits the records in large leaps rather than in
// order: two queries may agree on a long run of neighbouring records, and a leap leaves the run.
bool is_same_or_negation(const Query& query, const std::vector<std::uint8_t>& truth, const Schema& schema,
                         std::uint64_t steps, Work& work) {
  const std::uint64_t records = truth.size();
  std::uint64_t leap = records * 5 / 8 + 1;
  while (std::gcd(leap, records) != 1) ++leap;
  std::vector<std::uint32_t> values(schema.size());
  bool first = false;
  std::uint64_t x = 0;
  for (std::uint64_t visited = 0; visited < records; ++visited, x = (x + leap) % records) {
    work.spend(steps);
    std::uint64_t rest = x;
    for (std::size_t i = schema.size(); i-- > 0; rest /= schema[i].size()) {
      values[i] = static_cast<std::uint32_t>(rest % schema[i].size());
    }
    const bool same = query.evaluate(values) == (truth[x] == 1);
    if (visited == 0) first = same;
    if (same != first) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<double>> class_vector(const std::vector<std::uint8_t>& truth, const Schema& schema,
                                                const Explicit& vectors, Work& work) {
  for (const ExplicitQuery& named : vectors.queries()) {
    work.spend(kStepsPerByte * named.query.size());
    const Result<Query> query = Query::parse(schema, named.query);
    if (!query) continue;
    // Assumes one condition for every eight bytes of the text.
    const std::uint64_t steps = kStepsPerRecord + schema.size() + 4 * named.query.size();
    if (!is_same_or_negation(*query, truth, schema, steps, work)) continue;
    return std::vector<double>(named.vector.begin(), named.vector.end());
  }
  return std::nullopt;
}

Result<void> check_class(const Task& task) {
  const auto* vectors = std::get_if<Explicit>(&task.arrangement().kind());
  if (vectors == nullptr) return {};
  constexpr std::size_t kShownBytes = 80;
  for (const ExplicitQuery& named : vectors->queries()) {
    const Result<Query> query = Query::parse(task.schema(), named.query);
    if (query) continue;
    return Error{ErrorCode::kInvalidTask, "arrangement.queries: the query `" +
                                              std::string(beginning_of(named.query, kShownBytes)) +
                                              "`: " + query.error().message};
  }
  return {};
}

}  // namespace hearsay::compiler
