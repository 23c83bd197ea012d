// Sums, over a block's reports, of products with one factor for each attribute. A factor depends on question and
// answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/questions/asked_blocks.h"
#include "aggregator/estimator/questions/question_index.h"

namespace hearsay::estimator {

// For each of some attributes, functions of (question, answer) that are evaluated all at once.
struct PartFunctions {
  std::vector<std::size_t> counts;   // by axis: how many
  std::vector<std::uint64_t> steps;  // of evaluate()
  // Writes the functions' values to its last argument, which has counts[axis] elements.
  std::function<void(std::size_t axis, const QuestionIndex::Part& part, std::span<double> values)> evaluate;
};

// Returns Σ over the block's reports of Π_{i in block.axes} function_i, for all choices of one function for each of
// these attributes; the last attribute's function changes fastest. `attributes` is the list that the axes refer to.
// Cost: for each distinct beginning of the reports' parts, in the order of the attributes, the products of the
// functions of the remaining attributes. Throws compiler::WorkStopped (kLimitExceeded beyond some 15 seconds).
std::vector<double> product_sums(const QuestionIndex& index, const AskedBlock& block,
                                 std::span<const std::uint32_t> attributes, const PartFunctions& functions,
                                 compiler::Work& work);

}  // namespace hearsay::estimator
