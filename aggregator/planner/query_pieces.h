// What the groups of `sampled` tell about a compiled query.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// The query's weight g_j on a coordinate, and the information I_j that one report carries about it on average.
struct Term {
  double weight;
  double information;
  double ratio() const { return weight / information; }
};

// Groups that cover the same of the query's coordinates.
struct Piece {
  double probability;  // that a report is of one of them
  double gamma;
  std::vector<std::uint32_t> coordinates;
};

struct QueryPieces {
  std::unordered_map<std::uint32_t, Term> terms;  // by coordinate
  std::vector<std::uint32_t> attributes;          // that the coordinates are on, ascending
  std::vector<Piece> pieces;                      // without the groups that cover none
};

// The query must be compiled for the task, whose channel must be `sampled`.
QueryPieces query_pieces(const Task& task, const compiler::LinearQuery& linear);

// Adds to an ascending list without repetitions.
void add_attributes(std::vector<std::uint32_t>& all, std::span<const std::uint32_t> more);

}  // namespace hearsay::planner
