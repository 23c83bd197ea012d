// Lists the queries of a class in a workload. If a task's symmetries make several queries alike, lists only one of
// these queries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Says which queries need the same number of users in a task.
enum class Symmetry : std::uint8_t {
  // For `characters`: attributes of one kind and size are alike. Two values are alike if an invertible affine map
  // exchanges their bit patterns, since groups ask about all masks of an attribute equally often.
  kBitPatterns,
  // For `literals` whose coordinates all have the same noise: attributes of one kind and size are alike. The values of
  // a categorical attribute are alike, and so are a range and the range read backwards.
  kLiterals,
  // For `literals` in groups of consecutive coordinates, and for `explicit`: no attributes and no values are alike.
  kNone,
};

// The queries of a class on exactly `attributes`, which ascend.
struct ClassPart {
  std::vector<std::uint32_t> attributes;
  // One of each set of queries that are alike. Empty if there are too many queries.
  std::optional<std::vector<Query>> queries;
};

// Returns parts that stand for the whole class: no query of the class needs more users than the worst query of the
// parts. A query and its negation are alike. Returns nothing if there are too many parts. For conjunctions and kNone
// with too many parts, returns the parts for kLiterals, without lists of queries.
//
// All parts together list at most 2^13 queries. Except for kLiterals, the bit patterns of these queries' attributes add
// up to at most 2^22. A part has no list of functions if its attributes have more than 16 combinations of values,
// unless it has one attribute and kLiterals applies. The workload must be one that representatives() accepts. Cost: up
// to tenths of a second.
std::optional<std::vector<ClassPart>> class_parts(const Conjunctions& workload, const Schema& schema,
                                                  Symmetry symmetry);
std::optional<std::vector<ClassPart>> class_parts(const Functions& workload, const Schema& schema, Symmetry symmetry);

}  // namespace hearsay::planner
