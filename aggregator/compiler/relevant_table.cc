#include "aggregator/compiler/relevant_table.h"

#include <string>
#include <utility>

#include "common/base/try.h"

namespace hearsay::compiler {
namespace {

std::string answers_on_at_most(std::uint32_t order) {
  return "this task (characters of order " + std::to_string(order) + ") answers queries on at most " +
         std::to_string(order) + ": ask about fewer, or plan a task for this query";
}

// Evaluates the query on every combination of cells. If the query touches at most order() attributes, there are at most
// d + 1 combinations, where d is the number of coordinates.
Result<TruthTable> truth_table(const Query& query, const Schema& schema, const Characters& characters,
                               std::uint64_t bytes_per_cell, Work& work) {
  constexpr std::uint64_t kMaxCombinations = std::uint64_t{1} << 22U;
  std::vector<Cells> axes = compiler::distinguished_cells(query, schema, work);
  const std::size_t touched = axes.size();
  const std::uint64_t limit = touched <= characters.order() ? characters.dimension() + 1 : kMaxCombinations;
  if (TruthTable::combinations(axes) <= limit) {
    Cost cost = TruthTable::cost(query, schema, axes);
    cost.bytes += TruthTable::combinations(axes) * bytes_per_cell;  // as if f depended on all axes
    work.foresee(cost, kFewerAttributes);
    return TruthTable::create(query, schema, std::move(axes), work);
  }
  return Error{ErrorCode::kLimitExceeded, "the query touches " + std::to_string(touched) +
                                              " attributes, in more than 2^22 combinations of values, too many to find "
                                              "the attributes on which it depends; " +
                                              answers_on_at_most(characters.order())};
}

std::vector<std::size_t> relevant_axes(const TruthTable& truth, Work& work) {
  std::vector<std::size_t> relevant;
  for (std::size_t i = 0; i < truth.axes().size(); ++i) {
    if (truth.depends_on(i, work)) relevant.push_back(i);
  }
  return relevant;
}

}  // namespace

Result<RelevantTable> relevant_table(const Query& query, const Schema& schema, const Characters& characters,
                                     std::uint64_t bytes_per_cell, Work& work) {
  HEARSAY_TRY(TruthTable truth, truth_table(query, schema, characters, bytes_per_cell, work));
  std::vector<std::size_t> relevant = relevant_axes(truth, work);
  if (relevant.size() > characters.order()) {
    return Error{ErrorCode::kQueryNotCovered, "the query depends on " + std::to_string(relevant.size()) +
                                                  " attributes; " + answers_on_at_most(characters.order())};
  }
  return RelevantTable{std::move(truth), std::move(relevant)};
}

}  // namespace hearsay::compiler
