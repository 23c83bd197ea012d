#include "aggregator/compiler/cells.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "common/query/visit.h"

namespace hearsay::compiler {
namespace {

// The sets of values with which a query compares one attribute.
struct Use {
  std::vector<const ValueSet*> sets;
  bool every_value = false;
};
using Uses = std::map<std::uint32_t, Use>;

void collect(const Query& query, Uses& uses) {
  const auto each = [&](const std::vector<Query>& operands) {
    for (const Query& operand : operands) collect(operand, uses);
  };
  std::visit(query::Visitor{
                 [&](const query::Membership& m) { uses[m.attribute].sets.push_back(&m.values); },
                 [&](const query::Linear& l) {
                   for (const auto& term : l.terms) uses[term.attribute].every_value = true;
                 },
                 [&](const query::Not& n) { collect(*n.operand, uses); },
                 [&](const query::And& a) { each(a.operands); },
                 [&](const query::Or& o) { each(o.operands); },
                 [&](const query::AtLeast& a) { each(a.operands); },
                 [&](const query::DecisionList& d) {
                   for (const auto& item : d.items) collect(item.condition, uses);
                 },
             },
             query.node());
}

// Cuts the attribute's values into runs of neighbours that no set divides. Returns the first value of each run,
// ascending.
std::vector<std::uint32_t> run_starts(const Use& use, std::uint32_t values) {
  std::vector<std::uint32_t> starts{0};
  for (const ValueSet* set : use.sets) {
    for (const auto& [first, last] : *set) {
      starts.push_back(first);
      if (last + 1 < values) starts.push_back(last + 1);
    }
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

// Returns a label for each run. Two runs have the same label if they belong to the same sets.
std::vector<std::uint32_t> label_runs(const Use& use, const std::vector<std::uint32_t>& starts, Work& work) {
  constexpr std::uint64_t kLookUp = 16;
  std::vector<std::uint32_t> labels(starts.size(), 0);
  std::uint32_t next = 1;
  for (const ValueSet* set : use.sets) {
    std::unordered_map<std::uint32_t, std::uint32_t> split;
    for (const auto& [first, last] : *set) {
      auto run = static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), first) - starts.begin());
      for (; run < starts.size() && starts[run] <= last; ++run) {
        work.spend(kLookUp);
        const auto [entry, is_new] = split.try_emplace(labels[run], next);
        if (is_new) ++next;
        labels[run] = entry->second;
      }
    }
  }
  return labels;
}

Cells every_value(std::uint32_t attribute, std::uint32_t values) {
  Cells cells{attribute, std::vector<std::uint32_t>(values), std::vector<std::uint32_t>(values, 1)};
  std::iota(cells.cell_of.begin(), cells.cell_of.end(), 0U);
  return cells;
}

Cells cells_of(std::uint32_t attribute, const Use& use, std::uint32_t values, Work& work) {
  if (use.every_value) return every_value(attribute, values);
  Cells cells{attribute, std::vector<std::uint32_t>(values), {}};
  const std::vector<std::uint32_t> starts = run_starts(use, values);
  const std::vector<std::uint32_t> labels = label_runs(use, starts, work);
  std::unordered_map<std::uint32_t, std::uint32_t> cell_of_label;
  for (std::size_t run = 0; run < starts.size(); ++run) {
    const auto number = static_cast<std::uint32_t>(cells.size.size());
    const auto [entry, is_new] = cell_of_label.try_emplace(labels[run], number);
    if (is_new) cells.size.push_back(0);
    const std::uint32_t end = run + 1 < starts.size() ? starts[run + 1] : values;
    std::fill(cells.cell_of.begin() + starts[run], cells.cell_of.begin() + end, entry->second);
    cells.size[entry->second] += end - starts[run];
  }
  return cells;
}

}  // namespace

std::vector<Cells> distinguished_cells(const Query& query, const Schema& schema, Work& work) {
  Uses uses;
  collect(query, uses);
  std::vector<Cells> result;
  for (const auto& [attribute, use] : uses) {
    Cells cells = cells_of(attribute, use, schema[attribute].size(), work);
    if (cells.size.size() > 1) result.push_back(std::move(cells));
  }
  return result;
}

std::vector<Cells> single_value_cells(std::span<const std::uint32_t> attributes, const Schema& schema) {
  std::vector<Cells> result;
  for (const std::uint32_t attribute : attributes) {
    result.push_back(every_value(attribute, schema[attribute].size()));
  }
  return result;
}

}  // namespace hearsay::compiler
