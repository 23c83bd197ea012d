// What the reports of other mechanisms say, as the outputs of a strategy.
#pragma once

#include <cstddef>

#include "aggregator/planner/strategy_optimiser.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// The outputs of a task of `sampled` on `characters`, as sets: of each question and answer, the records whose true
// answer it is, with the probability of an untrue one as the weight. At most `most`, those of the largest weight: with
// all of them the strategy has the law of the task, but for equal sets, whose questions it does not tell apart. None
// for other channels, and for more than 2^20 pairs of a question and an answer.
StrategySets outputs_of(const Task& task, std::size_t most);

}  // namespace hearsay::planner
