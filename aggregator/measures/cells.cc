#include "aggregator/measures/cells.h"

#include <utility>

#include "common/task/coarsening.h"

namespace hearsay::measures {

Query in(std::uint32_t attribute, ValueSet values) { return Query(query::Membership{attribute, std::move(values)}); }

std::vector<ValueSet> cells_of(const Task& task, std::uint32_t attribute) {
  const std::uint32_t size = task.schema()[attribute].size();
  const Coarsening* coarsening = task.coarsening();
  const Cuts* cuts = coarsening != nullptr ? coarsening->cuts_of(attribute) : nullptr;
  std::vector<ValueSet> cells(task.asked_schema()[attribute].size());
  if (cuts == nullptr) {
    for (std::uint32_t i = 0; i < size; ++i) cells[i] = {{i, i}};
    return cells;
  }
  for (std::size_t s = 0; s <= cuts->starts.size(); ++s) {
    const std::uint32_t first = s == 0 ? 0 : cuts->starts[s - 1];
    const std::uint32_t last = s == cuts->starts.size() ? size - 1 : cuts->starts[s] - 1;
    cells[cuts->cells.empty() ? s : cuts->cells[s]].emplace_back(first, last);
  }
  return cells;
}

}  // namespace hearsay::measures
