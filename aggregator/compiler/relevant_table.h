// A query's answers for tasks on `characters`: one for each combination of cells, the groups of values that the query
// treats alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "aggregator/compiler/truth_table.h"
#include "aggregator/compiler/work.h"
#include "common/arrangement/characters.h"
#include "hearsay/query.h"
#include "hearsay/result.h"

namespace hearsay::compiler {

// The remedy in error messages about a query on `characters` that costs too much.
constexpr std::string_view kFewerAttributes = "ask about fewer attributes, or a sum or count of fewer";

struct RelevantTable {
  TruthTable truth;
  // The axes that f depends on, ascending. Leaves out attributes that the query mentions but does not depend on. Empty
  // for a constant query.
  std::vector<std::size_t> relevant;
};

// `bytes_per_cell` is the memory that later work on the table will take for each cell. Errors: kQueryNotCovered (the
// query depends on more than order() attributes; the message says on how many), kLimitExceeded (the query touches more
// than order() attributes, and their cells have more than 2^22 combinations, too many to see which attributes matter).
// Throws WorkStopped.
Result<RelevantTable> relevant_table(const Query& query, const Schema& schema, const Characters& characters,
                                     std::uint64_t bytes_per_cell, Work& work);

}  // namespace hearsay::compiler
