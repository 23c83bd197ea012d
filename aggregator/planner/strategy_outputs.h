// Turns the reports of other mechanisms into outputs of a strategy.
#pragma once

#include <cstddef>

#include "aggregator/planner/strategy_optimiser.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Returns the outputs of a task of `sampled` on `characters`. There is an output for each question and answer: the set
// of records for which the answer is true. The output's weight is the probability that a report asks the question and
// gives this answer at random. Returns at most `most` outputs, those with the largest weights. With all outputs the
// strategy has the law of the task, except that equal sets of different questions become one output. Returns no outputs
// for other channels, or for more than 2^20 pairs of a question and an answer.
StrategySets outputs_of(const Task& task, std::size_t most);

}  // namespace hearsay::planner
