// The queries that a task with explicit vectors names.

#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "aggregator/compiler/compile_explicit.h"
#include "common/arrangement/arrangement.h"
#include "common/base/utf8.h"

namespace hearsay::compiler {
namespace {

constexpr std::uint64_t kStepsPerByte = 8;     // of parsing
constexpr std::uint64_t kStepsPerRecord = 32;  // of an evaluation, for each node of the query

// Whether a query agrees with f on all records (+1), on none (-1), or neither (0). Records are visited in leaps, since
// queries that differ mostly differ on a stretch of records.
int agreement(const Query& query, const std::vector<std::uint8_t>& truth, const Schema& schema, std::uint64_t steps,
              Work& work) {
  const std::uint64_t records = truth.size();
  std::uint64_t leap = records * 5 / 8 + 1;
  while (std::gcd(leap, records) != 1) ++leap;
  std::vector<std::uint32_t> values(schema.size());
  int sign = 0;
  std::uint64_t x = 0;
  for (std::uint64_t visited = 0; visited < records; ++visited, x = (x + leap) % records) {
    work.spend(steps);
    std::uint64_t rest = x;
    for (std::size_t i = schema.size(); i-- > 0; rest /= schema[i].size()) {
      values[i] = static_cast<std::uint32_t>(rest % schema[i].size());
    }
    const int same = query.evaluate(values) == (truth[x] == 1) ? 1 : -1;
    if (visited > 0 && same != sign) return 0;
    sign = same;
  }
  return sign;
}

}  // namespace

std::optional<std::vector<double>> class_vector(const std::vector<std::uint8_t>& truth, const Schema& schema,
                                                const Explicit& vectors, Work& work) {
  for (const ExplicitQuery& named : vectors.queries()) {
    work.spend(kStepsPerByte * named.query.size());
    const Result<Query> query = Query::parse(schema, named.query);
    if (!query) continue;
    // A text of so many bytes has at most about an eighth as many conditions.
    const std::uint64_t steps = kStepsPerRecord + schema.size() + 4 * named.query.size();
    const int sign = agreement(*query, truth, schema, steps, work);
    if (sign == 0) continue;
    std::vector<double> vector;
    for (const std::int8_t entry : named.vector) vector.push_back(sign * entry);
    return vector;
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
