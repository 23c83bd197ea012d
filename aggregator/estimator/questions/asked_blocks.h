// Sorts reports by the attributes that they were asked about.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/questions/question_index.h"

namespace hearsay::estimator {

// A set of attributes from a list of attributes: bit i stands for the i-th attribute of the list.
using AxisSet = std::uint64_t;

// All reports of one class that were asked about the same subset of the given attributes.
struct AskedBlock {
  std::uint32_t group_class;
  AxisSet axes;
  bool single;  // true if the class is of kind kSingle
  double gamma;
  // Positions in QuestionIndex::sets().
  std::vector<std::uint32_t> sets{};
  double reports = 0;
};

AskedBlock make_block(const SampledChannel& channel, std::uint32_t group_class, AxisSet axes);

// Returns the blocks that have reports. Leaves out reports that were asked about none of the attributes, and reports of
// kind kSingle that were also asked about other attributes. `attributes` must ascend, and must have at most 64
// elements. Throws compiler::WorkStopped.
std::vector<AskedBlock> asked_blocks(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                     compiler::Work& work);

// Returns true if the block's reports show the product of the scores on `axes`.
bool covers(const SampledChannel& channel, const AskedBlock& block, AxisSet axes);

// Calls visit(axes) for each set that the block covers. Throws compiler::WorkStopped.
template <class Visit>
void for_each_covered(const SampledChannel& channel, const AskedBlock& block, compiler::Work& work,
                      const Visit& visit) {
  constexpr std::uint64_t kStepsPerSubset = 32;
  if (block.single) return visit(block.axes);
  for (AxisSet axes = block.axes; axes != 0; axes = (axes - 1) & block.axes) {
    work.spend(kStepsPerSubset);
    if (covers(channel, block, axes)) visit(axes);
  }
}

std::vector<std::uint32_t> attributes_of(std::span<const std::uint32_t> attributes, AxisSet axes);

// Returns kNoReports, or kQueryNotCovered if the task never asks about these attributes together. The message names the
// attributes.
Error none_asked(const QuestionIndex& index, std::span<const std::uint32_t> attributes);

}  // namespace hearsay::estimator
