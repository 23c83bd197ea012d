// Recognises queries for which exact class means can be computed: lists of conditions, and thresholds.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <variant>
#include <vector>

#include "aggregator/compiler/work.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

// The condition that one attribute's value lies in a set. The set is neither empty nor all values.
using Predicate = query::Membership;

// A decision list. f(x) is the label of the first item whose predicate holds for x, or `otherwise` if none holds. At
// least two attributes occur. For every item there is a record for which this item is the first that holds. The last
// item's label differs from `otherwise`.
//
// Therefore f depends on every attribute that occurs.
//
// Conjunctions, disjunctions and boxes are such lists. For example, an item of a conjunction has the label 0 and holds
// if an operand fails.
struct PredicateList {
  struct Item {
    Predicate predicate;
    bool label;
  };
  std::vector<Item> items;
  bool otherwise;
};

// f(x) = 1 iff Σ weight(value of the attribute) >= bound. If `negated`, f(x) = 1 iff the sum is below the bound. There
// are at least two terms, with distinct ascending attributes. In each term the smallest weight is 0, and the largest is
// above 0. The greatest common divisor of all weights is 1. 0 < bound <= the largest sum.
struct PredicateThreshold {
  struct Term {
    std::uint32_t attribute;
    std::vector<std::uint64_t> weight;  // one per value of the attribute
  };
  std::vector<Term> terms;
  std::uint64_t bound;
  bool negated;

  std::uint64_t largest_sum() const;
};

// A query without a structure that the compiler uses.
struct Unstructured {};

// The structure of a query. A bool is a constant query.
using QueryForm = std::variant<bool, Predicate, PredicateList, PredicateThreshold, Unstructured>;

// Returns the structure of the query. Replaces each sub-query on one attribute by a predicate, and removes constants.
// The schema must be small enough for a Literals arrangement.
QueryForm analyse(const Query& query, const Schema& schema, Work& work);

// Removes items that decide no record, and returns the form of the remaining list.
QueryForm normalise(PredicateList list, const Schema& schema, Work& work);

// The records that satisfy none of a list's items so far: a product of value sets.
class Region {
 public:
  Region(const Schema& schema, Work& work) : schema_(schema), work_(work) {}

  const ValueSet& values(std::uint32_t attribute);
  // Returns the values of the predicate's attribute that are in the region and satisfy the predicate.
  ValueSet satisfying(const Predicate& predicate);
  // Removes the records that satisfy the predicate.
  void remove(const Predicate& predicate);

 private:
  const Schema& schema_;
  Work& work_;
  std::unordered_map<std::uint32_t, ValueSet> values_;  // an attribute without an entry has all values
};

// Steps of reading a set of values, for each interval of the set.
inline constexpr std::uint64_t kStepsPerInterval = 8;

// Returns the values that are in both sets.
ValueSet intersection(const ValueSet& a, const ValueSet& b);

}  // namespace hearsay::compiler
