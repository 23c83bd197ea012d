// Turns the condition "a sum is at least a bound" into the simplest form.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "aggregator/compiler/query_form.h"
#include "common/base/int128.h"

namespace hearsay::compiler {

// A sum of functions of single attributes.
class WeightedSum {
 public:
  WeightedSum(const Schema& schema, Work& work) : schema_(schema), work_(work) {}

  // Adds the function that is 1 for the records that satisfy the predicate, and 0 for all other records.
  void add_indicator(const Predicate& predicate);
  // Adds the term's coefficient times the value of the term's attribute.
  void add_value(const query::Linear::Term& term);

  // Returns the form of "the sum is at least `bound`".
  QueryForm at_least(Int128 bound) &&;

 private:
  std::vector<std::int64_t>& table(std::uint32_t attribute);
  // Subtracts from each attribute's table its smallest entry, and returns the total subtracted. Drops the attributes
  // that then add 0 for every value.
  Int128 remove_constants();

  const Schema& schema_;
  Work& work_;
  std::map<std::uint32_t, std::vector<std::int64_t>>
      tables_;  // by attribute: the function of each value; |entry| < 2^47
  Int128 constant_ = 0;
};

}  // namespace hearsay::compiler
