// The answers of a query on `characters`, for every combination of the values that it tells apart.
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

// What makes compiling on `characters` cheaper.
constexpr std::string_view kFewerAttributes = "ask about fewer attributes, or a sum or count of fewer";

struct RelevantTable {
  TruthTable truth;
  // The axes that f depends on: queries with the same answers are compiled alike, however many attributes they mention.
  // None for a constant query.
  std::vector<std::size_t> relevant;
};

// `bytes_per_cell`: what is foreseen for work on the table, beside it.
// Errors: kQueryNotCovered if the query depends on more than order() attributes (it names how many), kLimitExceeded if
// the query touches more than order() attributes and too many combinations of values (2^22) to see which of them
// matter. Throws WorkStopped.
Result<RelevantTable> relevant_table(const Query& query, const Schema& schema, const Characters& characters,
                                     std::uint64_t bytes_per_cell, Work& work);

}  // namespace hearsay::compiler
