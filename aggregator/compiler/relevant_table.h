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

// How to make compiling on `characters` cheaper, for error messages.
constexpr std::string_view kFewerAttributes = "ask about fewer attributes, or a sum or count of fewer";

struct RelevantTable {
  TruthTable truth;
  // The axes that f depends on; none for a constant query. Attributes that a query only mentions do not matter: queries
  // with the same answers are compiled alike.
  std::vector<std::size_t> relevant;
};

// `bytes_per_cell` is the memory that later work on the table will take for each cell. Errors: kQueryNotCovered (the
// query depends on more than order() attributes; the message says on how many), kLimitExceeded (the query touches more
// than order() attributes, and more than 2^22 combinations of values would have to be looked at to see which attributes
// matter). Throws WorkStopped.
Result<RelevantTable> relevant_table(const Query& query, const Schema& schema, const Characters& characters,
                                     std::uint64_t bytes_per_cell, Work& work);

}  // namespace hearsay::compiler
