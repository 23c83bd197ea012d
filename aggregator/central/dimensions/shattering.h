// Computes exactly how rich a finite class of queries is: its fat-shattering dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/central/synthetic/query_class.h"
#include "common/base/rational.h"

namespace hearsay::central {

// An element, and what separates the queries on it: a weight of at most `low` is a 0, one of at least `high` a 1. Both
// are in units of 1/unit(). The paper's r is any number between low + gamma and high - gamma.
struct ShatteredElement {
  std::size_t element;
  std::uint32_t low;
  std::uint32_t high;
};

// Elements on which the class shows every pattern of zeros and ones.
struct Shattering {
  std::vector<ShatteredElement> elements;
  // queries[b] is 1 on elements[j] if bit j of b is 1, and otherwise 0. There are 2^d queries.
  std::vector<std::uint32_t> queries;

  std::size_t dimension() const { return elements.size(); }
};

// The most weights that one search may look at: seconds. A search that would need more is refused.
inline constexpr std::uint64_t kMostShatteringWork = std::uint64_t{1} << 30U;

// Returns a largest set of elements that the class gamma-shatters. Its size is the dimension FSD_gamma(C); for
// predicates this is the VC dimension, at any gamma. Searches every set, except those that the number of queries rules
// out. Roth 2010, Definition 3. Errors: kInvalidArgument unless 0 < gamma <= 1/2; kDomainTooLarge above
// kMostShatteringWork.
Result<Shattering> fat_shattering(const QueryClass& queries, const Rational& gamma);

// Returns a largest set that the class shatters with the same `low` and the same `high` >= low + gap for all elements,
// as Lemma 1 of Roth 2010 needs. (The paper finds such a set within a gamma-shattered one by the pigeonhole principle.)
// `gap` is in units of 1/unit(). Errors: kInvalidArgument unless 1 <= gap <= unit(); kDomainTooLarge above
// kMostShatteringWork.
Result<Shattering> level_shattering(const QueryClass& queries, std::uint32_t gap);
// The same for one of many searches that share the limit. `work` is what they have looked at so far.
Result<Shattering> level_shattering(const QueryClass& queries, std::uint32_t gap, std::uint64_t& work);

// Returns the gaps between weights of the class, ascending. level_shattering() changes only at these. Errors:
// kDomainTooLarge above 2^12 different weights.
Result<std::vector<std::uint32_t>> weight_gaps(const QueryClass& queries);

}  // namespace hearsay::central
