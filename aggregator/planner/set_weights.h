// Finds weights of groups and of questions that make the largest variance of many products small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/planner/set_law.h"
#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// A product of functions of one attribute each, and the weight of its variance.
struct WeightedProduct {
  ProductFunction function;
  double weight = 1;
};

// The problem that best_set_weights() solves.
struct SetProblem {
  std::vector<QuestionSpec> questions;  // of each attribute
  // A number for each attribute. Attributes with the same number have, and keep, the same questions.
  std::vector<std::size_t> alike;
  // Lists of groups. The groups of one list have answers of the same width and are drawn equally often, and the list
  // gets one weight. The groups' own weights are ignored. All groups of all lists differ.
  std::vector<std::vector<GroupWeight>> groups;
  std::vector<WeightedProduct> products;
};

struct WeightedSets {
  SampledSpec spec;
  double worst;  // the largest variance of a product, times the product's weight
  // About how many multiplications the search took.
  double work;
};

enum class Effort : std::uint8_t {
  // The result is within a few per cent of the result of kFull. This precision is enough to compare problems.
  kQuick,
  kFull
};

// Lowers the largest variance over the worst populations (set_law.h) step by step. Starts from equal weights of the
// lists and the given questions. Also changes the weights of multipliers, on circles with one place for each of at most
// 128 values. Leaves out groups and multipliers that add next to no information. The search need not find the minimum.
// `base` gives the schema and ε; `order` is that of `characters`. Errors: those of making the channel and of SetLaw;
// kQueryNotCovered (no group covers what a product needs); kLimitExceeded (too much work). Cost: up to about a second.
Result<WeightedSets> best_set_weights(const TaskSpec& base, std::uint32_t order, const SetProblem& problem,
                                      Against against = Against::kPopulation, Effort effort = Effort::kFull);

}  // namespace hearsay::planner
