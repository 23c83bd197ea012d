// Finds the worst product of indicators in a class, for a task of `sampled` on `characters`.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/planner/one_attribute.h"
#include "aggregator/planner/worst_query.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Conjunctions of 1 to `most` indicators, each of a different attribute out of `attributes`. `attributes` ascend.
struct ProductClass {
  std::vector<std::uint32_t> attributes;
  std::uint32_t most;
  Indicators indicators;
};

// Returns the worst product. The result is exact if only few products come near the worst product: for attributes of up
// to 64 values, for answers of one bit, and if the questions make ranges of the same length alike. If the task asks
// only parities of one bit, the numbers are upper bounds. The bounds are exact for single groups on attributes of 2, 4,
// 8, … values. Errors: those of indicators(); kQueryNotCovered (the task does not ask about some set of at most `most`
// attributes). Cost: seconds at most.
Result<WorstQuery> worst_product(const Task& task, const ProductClass& of);

}  // namespace hearsay::planner
