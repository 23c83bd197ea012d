// Computes exactly how rich a finite class of queries is: its fat-shattering dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/central/synthetic/query_class.h"
#include "common/base/rational.h"

namespace hearsay::central {

// An element, and two levels that separate the queries on this element: a weight of at most `low` is a 0, a weight of
// at least `high` is a 1. Levels are in units of 1/unit(). The paper's r is any number between low + gamma and high -
// gamma.
struct ShatteredElement {
  std::size_t element;
  std::uint32_t low;
  std::uint32_t high;
};

// Elements on which the class shows every pattern of zeros and ones.
struct Shattering {
  std::vector<ShatteredElement> elements;
  // queries[b] is a query that is 1 on elements[j] if bit j of b is 1, and otherwise 0. There are 2^d queries.
  std::vector<std::uint32_t> queries;

  std::size_t dimension() const { return elements.size(); }
};

// The most weights that one search may look at. A search that needs more ends with an error.
inline constexpr std::uint64_t kMostShatteringWork = std::uint64_t{1} << 30U;

// Returns a largest set of elements that the class gamma-shatters. Its size is the fat-shattering dimension
// FSD_gamma(C). For predicates this is the VC dimension, for every gamma. Searches all sets, except those that cannot
// lead to a larger set. Roth 2010, Definition 3. Errors: kInvalidArgument unless 0 < gamma <= 1/2; kDomainTooLarge
// above kMostShatteringWork.
Result<Shattering> fat_shattering(const QueryClass& queries, const Rational& gamma);

// Returns a largest set that the class shatters with the same `low`, and the same `high` = low + gap, for all elements.
// Lemma 1 of Roth 2010 needs such a set. (The paper finds such a set within a gamma-shattered set, by the pigeonhole
// principle.) `gap` is in units of 1/unit(). Errors: kInvalidArgument unless 1 <= gap <= unit(); kDomainTooLarge above
// kMostShatteringWork.
Result<Shattering> level_shattering(const QueryClass& queries, std::uint32_t gap);
// Searches like level_shattering() above. Several searches can share the limit kMostShatteringWork: `work` counts the
// weights that all these searches have looked at.
Result<Shattering> level_shattering(const QueryClass& queries, std::uint32_t gap, std::uint64_t& work);

// Returns the gaps between weights of the class, ascending. The size of the set that level_shattering() finds changes
// only at these gaps. Errors: kDomainTooLarge above 2^12 different weights.
Result<std::vector<std::uint32_t>> weight_gaps(const QueryClass& queries);

}  // namespace hearsay::central
