// Computes sums, over the reports of a block, of products with one factor for each attribute. A factor is a function of
// question and answer.
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

// Functions of question and answer, for each of several attributes.
struct PartFunctions {
  std::vector<std::size_t> counts;   // by axis: the number of functions
  std::vector<std::uint64_t> steps;  // by axis: the steps of evaluate()
  // Writes the values of all functions of the axis to `values`, which has counts[axis] elements.
  std::function<void(std::size_t axis, const QuestionIndex::Part& part, std::span<double> values)> evaluate;
};

// Returns Σ over the block's reports of Π_{i in block.axes} function_i, for all choices of one function for each of
// these attributes. The last attribute's function changes fastest. block.axes refers to `attributes`. Cost: reports
// that agree on the first i attributes share the work for these attributes. Throws compiler::WorkStopped
// (kLimitExceeded if the sums would take too many steps).
std::vector<double> product_sums(const QuestionIndex& index, const AskedBlock& block,
                                 std::span<const std::uint32_t> attributes, const PartFunctions& functions,
                                 compiler::Work& work);

}  // namespace hearsay::estimator
