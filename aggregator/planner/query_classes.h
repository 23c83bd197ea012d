// Lists the queries of a class of workload, one for all that a task's symmetries make alike.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Says which queries need the same users in a task.
enum class Symmetry : std::uint8_t {
  // `characters`: attributes of one kind and size are alike. So are values whose bit patterns an invertible affine map
  // exchanges, since groups ask about all masks of an attribute alike.
  kBitPatterns,
  // `literals`, if every coordinate alone has the same noise: attributes of one kind and size are alike. So are the
  // values of a categorical attribute, and a range read backwards.
  kLiterals,
  // Neither attributes nor values are alike: `literals` in groups of consecutive coordinates.
  kNone,
};

// The queries of a class on exactly these attributes, ascending.
struct ClassPart {
  std::vector<std::uint32_t> attributes;
  // One query of each kind, or nothing if there are too many.
  std::optional<std::vector<Query>> queries;
};

// Returns parts that stand for the whole class: no query of the class needs more users than the worst query of the
// parts. A query and its negation are alike. Returns nothing if even the parts are too many; for kNone, then returns
// the parts of kLiterals without lists of queries.
//
// All parts together list at most 2^13 queries. Except for kLiterals, their combinations of bit patterns sum to at most
// 2^22. Functions are listed on at most 16 combinations of values. The workload must pass representatives(). Cost: up
// to tenths of a second.
std::optional<std::vector<ClassPart>> class_parts(const Conjunctions& workload, const Schema& schema,
                                                  Symmetry symmetry);
std::optional<std::vector<ClassPart>> class_parts(const Functions& workload, const Schema& schema, Symmetry symmetry);

}  // namespace hearsay::planner
