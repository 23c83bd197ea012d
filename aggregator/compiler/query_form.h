// The structure of a query, as far as exact class means can use it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <variant>
#include <vector>

#include "aggregator/compiler/work.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

// One attribute's value lies in a set that is neither empty nor everything.
using Predicate = query::Membership;

// The label of the first item whose predicate holds, else `otherwise`. At least two attributes occur, every item
// decides some record, and the last item's label differs from `otherwise`. Then f depends on every attribute that
// occurs: take a record that passes item i and ends with the other label, which exists, and move its attribute into the
// item's set.
//
// Conjunctions, disjunctions and boxes are such lists: a conjunction says no where the first operand fails.
struct PredicateList {
  struct Item {
    Predicate predicate;
    bool label;
  };
  std::vector<Item> items;
  bool otherwise;
};

// Σ weight(value of the attribute) >= bound, negated if `negated`. At least two terms, with distinct ascending
// attributes; each term's smallest weight is 0 and its largest is not; the greatest common divisor of all weights is 1;
// 0 < bound <= the largest sum.
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

// No structure that is used.
struct Unstructured {};

// A bool is a constant query.
using QueryForm = std::variant<bool, Predicate, PredicateList, PredicateThreshold, Unstructured>;

// The structure of the query. Sub-queries on one attribute are folded into a predicate and constants are removed, so
// that a query whose tree touches one attribute, or none that matters, is recognised. The schema must have a Literals
// arrangement (that is, few enough values).
QueryForm analyse(const Query& query, const Schema& schema, Work& work);

// The same list without items that never decide, in the form it deserves.
QueryForm normalise(PredicateList list, const Schema& schema, Work& work);

// The records that have passed the items of a list so far: a product of value sets.
class Region {
 public:
  Region(const Schema& schema, Work& work) : schema_(schema), work_(work) {}

  const ValueSet& values(std::uint32_t attribute);
  // The values of the predicate's attribute that are in the region and satisfy the predicate.
  ValueSet satisfying(const Predicate& predicate);
  // Leaves the records that fail the predicate.
  void remove(const Predicate& predicate);

 private:
  const Schema& schema_;
  Work& work_;
  std::unordered_map<std::uint32_t, ValueSet> values_;  // absent: everything
};

// Of looking at a set of values, for each of its intervals.
inline constexpr std::uint64_t kStepsPerInterval = 8;

// The values that are in both sets.
ValueSet intersection(const ValueSet& a, const ValueSet& b);

}  // namespace hearsay::compiler
