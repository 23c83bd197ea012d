#include "aggregator/planner/coarse_list.h"

#include <cstdint>
#include <string>
#include <utility>

#include "aggregator/compiler/coarse_query.h"
#include "aggregator/compiler/work.h"
#include "common/base/try.h"
#include "common/task/coarsening.h"

namespace hearsay::planner {
namespace {

// The search for the cells of a list has no limit on its work.
constexpr compiler::Cost kUnbounded{UINT64_MAX, UINT64_MAX};

// Returns the schema of the cells. Names and sizes come from valid attributes, so each value() holds an attribute.
Schema ordered_cells(const Schema& schema, const Coarsening& coarsening, const std::vector<Cuts>& cuts) {
  std::vector<Attribute> attributes(schema.attributes().begin(), schema.attributes().end());
  for (const Cuts& of_one : cuts) {
    const std::string& name = schema[of_one.attribute].name();
    const std::uint32_t cells = coarsening.schema()[of_one.attribute].size();
    attributes[of_one.attribute] =
        cells == 2 ? Attribute::boolean(name).value() : Attribute::range(name, 0, cells - 1).value();
  }
  return Schema::create(std::move(attributes)).value();
}

}  // namespace

std::optional<CoarseList> coarse_list(const Schema& schema, const Workload& workload) {
  const auto* queries = std::get_if<std::vector<Query>>(&workload);
  if (queries == nullptr || queries->empty()) return std::nullopt;
  compiler::Work work({}, kUnbounded);
  std::vector<Cuts> cuts = compiler::cuts_for(*queries, schema, work);
  if (cuts.empty()) return std::nullopt;
  const Result<Coarsening> coarsening = Coarsening::create(schema, cuts);
  if (!coarsening) return std::nullopt;
  Schema cells = ordered_cells(schema, *coarsening, cuts);
  CoarseList list{std::move(cuts), std::move(cells), {}};
  for (const Query& query : *queries) {
    Result<Query> coarse = compiler::coarse_query(query, schema, *coarsening);
    if (!coarse) return std::nullopt;
    list.queries.push_back(*std::move(coarse));
  }
  return list;
}

std::size_t values_cut(const CoarseList& list, const Schema& schema) {
  std::size_t values = 0;
  for (const Cuts& of_one : list.cuts) values += schema[of_one.attribute].size();
  return values;
}

Result<Task> with_cuts(const Task& task, const CoarseList& list, const Schema& schema) {
  TaskSpec spec = task.spec();
  spec.schema = schema;
  spec.cuts = list.cuts;
  return Task::create(std::move(spec));
}

}  // namespace hearsay::planner
