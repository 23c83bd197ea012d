// The worst of all products of indicators, each of one attribute, in a task of `sampled` on `characters`.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/planner/one_attribute.h"
#include "aggregator/planner/worst_query.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Conjunctions of an indicator each of 1 to `most` different ones of these attributes, ascending.
struct ProductClass {
  std::vector<std::uint32_t> attributes;
  std::uint32_t most;
  Indicators indicators;
};

// Exact over all of them where few products come near the worst, which is so for attributes of up to 64 values, and
// where questions have answers of one bit or make ranges of the same length alike. If the task asks parities alone,
// the numbers are upper bounds, exact for singles of attributes whose numbers of values are powers of two.
// Errors: those of indicators(); kQueryNotCovered (the task does not ask about some set of so many of the attributes).
// Cost: seconds at most.
Result<WorstQuery> worst_product(const Task& task, const ProductClass& of);

}  // namespace hearsay::planner
