// The queries of a class of workload, up to what a task's symmetries make alike.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Which queries need the same users in a task.
enum class Symmetry : std::uint8_t {
  // `characters`: attributes of one kind and size; values whose bit patterns an invertible affine map exchanges, since
  // groups ask about all masks of an attribute alike.
  kBitPatterns,
  // `literals` with the same noise on every coordinate alone: attributes of one kind and size, the values of a
  // categorical attribute, and a range read backwards.
  kLiterals,
  // Neither attributes nor values: `literals` in groups of consecutive coordinates.
  kNone,
};

// The queries of a class on exactly these attributes, ascending.
struct ClassPart {
  std::vector<std::uint32_t> attributes;
  // One of each kind, or nothing where these are too many.
  std::optional<std::vector<Query>> queries;
};

// Parts that stand for the whole class: no query of the class needs more users than the worst of theirs. A query and
// its negation are alike. Nothing if even the parts are too many; for kNone then those of kLiterals, none of which
// lists its queries. All parts together list at most 2^13 queries, whose combinations of bit patterns sum to at most
// 2^22 (not for kLiterals, where these do not count); functions are listed on at most 16 combinations of values. The
// workload must pass representatives(). Cost: up to tenths of a second.
std::optional<std::vector<ClassPart>> class_parts(const Conjunctions& workload, const Schema& schema,
                                                  Symmetry symmetry);
std::optional<std::vector<ClassPart>> class_parts(const Functions& workload, const Schema& schema, Symmetry symmetry);

}  // namespace hearsay::planner
