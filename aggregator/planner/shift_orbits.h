// Sets and functions of records that are shifts of each other.
//
// The records of a schema form a group: two records are added attribute by attribute, modulo the attribute's number of
// values. A shift by s moves what is at record x to record x + s. A strategy with `shifts` treats all shifts of a
// function alike, so that one function stands for all of them.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/planner/strategy_optimiser.h"
#include "aggregator/planner/strategy_workload.h"

namespace hearsay::planner {

// Adds records, given by their numbers. In the number of a record the last attribute changes fastest.
// Cost: records² numbers of memory. Immutable.
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

// Says whether a workload is closed under shifts: with each query, it has every shift of the query or of the shift's
// negation. If the workload is closed, some strategy with `shifts` has the least largest variance, since an even mix of
// the shifts of any strategy has no larger one.
struct ShiftWorkload {
  ExplicitWorkload queries;  // if closed, one query for all queries that are shifts of each other; else all queries
  bool closed = true;
};
ShiftWorkload up_to_shifts(const ExplicitWorkload& workload, const Shifts& shifts);

// Returns one set for each orbit of `outputs` under shifts, with the orbit's mean weight over all shifts. If the law of
// the outputs is the same for all shifts of the records, the result has this law.
StrategySets up_to_shifts(const StrategySets& outputs, const Shifts& shifts);

// Returns the least of the set's shifts, which is the same for all of them.
std::vector<bool> least_shift(const std::vector<bool>& set, const Shifts& shifts);

}  // namespace hearsay::planner
