// The weights of groups of attributes, and of questions, that make the largest variance of many products small.
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

// A product of functions of one attribute each, and what its variance counts with.
struct WeightedProduct {
  ProductFunction function;
  double weight = 1;
};

// What weights are chosen for.
struct SetProblem {
  std::vector<QuestionSpec> questions;  // of each attribute
  // Per attribute a number. Those with the same one have, and keep, the same questions.
  std::vector<std::size_t> alike;
  // Groups, in lists whose groups have answers of the same width and are drawn equally often: every list gets one
  // weight. The groups' own weights say nothing. No two groups of all lists are alike.
  std::vector<std::vector<GroupWeight>> groups;
  std::vector<WeightedProduct> products;
};

struct WeightedSets {
  SampledSpec spec;
  double worst;  // the largest variance of a product, times its weight
  double work;   // multiplications done, about
};

enum class Effort : std::uint8_t {
  kQuick,  // within some per cent of what kFull finds: enough to compare
  kFull
};

// Descent on the largest variance over the worst populations (set_law.h) from equal weights of the lists and the given
// questions. Of circles of J places, J the number of values, up to 128, it changes the multipliers' weights, too. It
// leaves out what next to nothing is lost with. It need not find the minimum.
// `base` gives the schema and ε; `order` is that of `characters`.
// Errors: those of making the channel and of SetLaw; kQueryNotCovered (no group covers what a product needs);
// kLimitExceeded (too much work). Cost: up to about a second.
Result<WeightedSets> best_set_weights(const TaskSpec& base, std::uint32_t order, const SetProblem& problem,
                                      Against against = Against::kPopulation, Effort effort = Effort::kFull);

}  // namespace hearsay::planner
