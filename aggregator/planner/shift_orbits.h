// Finds sets and functions of records that are shifts of each other.
//
// The records of a schema form a group: two records are added attribute by attribute, modulo the attribute's number of
// values. The shift of a function f by a record s is the function that has the value f(x) at x + s. A strategy with
// `shifts` answers all shifts of a query equally well, so one query stands for all its shifts.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/planner/strategy_optimiser.h"
#include "aggregator/planner/strategy_workload.h"

namespace hearsay::planner {

// Computes in the group of records. Records are given by their numbers. From one number to the next, the last attribute
// changes fastest. Takes memory for records² numbers. Immutable.
class Shifts {
 public:
  explicit Shifts(const std::vector<std::uint32_t>& values);  // the number of values of each attribute

  std::size_t records() const { return records_; }
  std::size_t sum(std::size_t x, std::size_t s) const { return sums_[x * records_ + s]; }

  // Returns g with g(x + s) = f(x). `Numbers` is a vector of one entry for each record.
  template <class Numbers>
  Numbers shifted(const Numbers& f, std::size_t s) const {
    Numbers g = f;
    for (std::size_t x = 0; x < records_; ++x) g[sum(x, s)] = f[x];
    return g;
  }

 private:
  std::size_t records_;
  std::vector<std::uint32_t> sums_;
};

// A workload is *closed* under shifts if, for each of its queries and each shift, it also has the shifted query or the
// negation of the shifted query. Then no strategy is better than the best strategy with `shifts`: an even mix of all
// shifts of a strategy has no larger variance for the worst query than the strategy itself.
struct ShiftWorkload {
  // If closed, one query for each set of queries that are shifts of each other, or negations of shifts. If not closed,
  // all queries of the workload.
  ExplicitWorkload queries;
  bool closed = true;
};
ShiftWorkload up_to_shifts(const ExplicitWorkload& workload, const Shifts& shifts);

// Returns a strategy with `shifts`. The outputs whose sets are shifts of each other become one set, whose weight is the
// outputs' mean weight over all shifts. If shifting all records does not change the probabilities of `outputs`, the
// result has the same probabilities. Returns at most `most` sets, and prefers outputs of large weights. Cost: at most
// about most·records² steps.
StrategySets up_to_shifts(const StrategySets& outputs, const Shifts& shifts, std::size_t most);

// Returns the least shift of the set, in the order of std::vector<bool>. All shifts of a set have the same least shift.
std::vector<bool> least_shift(const std::vector<bool>& set, const Shifts& shifts);

}  // namespace hearsay::planner
