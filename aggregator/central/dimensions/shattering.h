// How rich a finite class of queries is: its fat-shattering dimension, exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/central/synthetic/query_class.h"
#include "common/base/rational.h"

namespace hearsay::central {

// An element and what separates the queries on it: a weight of at most `low` is a 0, one of at least `high` a 1, in
// units of 1/unit(). The paper's r is any number between low + gamma and high - gamma.
struct ShatteredElement {
  std::size_t element;
  std::uint32_t low;
  std::uint32_t high;
};

// Elements on which the class shows every pattern of zeros and ones.
struct Shattering {
  std::vector<ShatteredElement> elements;
  // queries[b] is 1 on elements[j] if bit j of b is 1, and 0 on it otherwise. 2^d queries.
  std::vector<std::uint32_t> queries;

  std::size_t dimension() const { return elements.size(); }
};

// Weights looked at by one search; above it a search is refused. Some seconds.
inline constexpr std::uint64_t kMostShatteringWork = std::uint64_t{1} << 32U;

// A largest set of elements that the class gamma-shatters: its size is the dimension FSD_gamma(C), and for predicates,
// at any gamma, the VC dimension. Every set is searched, but for those that the number of queries rules out.
// Roth 2010, Definition 3. Errors: kInvalidArgument unless 0 < gamma <= 1/2; kDomainTooLarge above kMostShatteringWork.
Result<Shattering> fat_shattering(const QueryClass& queries, const Rational& gamma);

// The same with the same `low` and the same `high` >= low + gap for all elements: what Lemma 1 of Roth 2010 needs. The
// paper finds such a set among a gamma-shattered one by the pigeonhole principle; this is a largest one. `gap` is in
// units of 1/unit(). Errors: kInvalidArgument unless 1 <= gap <= unit(); kDomainTooLarge above kMostShatteringWork.
Result<Shattering> level_shattering(const QueryClass& queries, std::uint32_t gap);

// The gaps between weights of the class, ascending: level_shattering() changes at these alone.
// Errors: kDomainTooLarge above 2^12 different weights.
Result<std::vector<std::uint32_t>> weight_gaps(const QueryClass& queries);

}  // namespace hearsay::central
