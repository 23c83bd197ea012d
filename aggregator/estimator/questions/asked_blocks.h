// The reports by what they were asked about some attributes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/questions/question_index.h"

namespace hearsay::estimator {

// A set of given attributes: bit i for the i-th of them.
using AxisSet = std::uint64_t;

// All reports of one class that have the same of the given attributes.
struct AskedBlock {
  std::uint32_t group_class;
  AxisSet axes;
  bool single;  // of kind kSingle
  double gamma;
  std::vector<std::uint32_t> sets{};  // of the index
  double reports = 0;
};

AskedBlock make_block(const SampledChannel& channel, std::uint32_t group_class, AxisSet axes);

// The blocks that reports are in. Without those that have none of the attributes and, of kind kSingle, those that have
// others, too. `attributes` ascending, at most 64. Throws compiler::WorkStopped.
std::vector<AskedBlock> asked_blocks(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                     compiler::Work& work);

// Whether the answers of the block give the products of those about these attributes.
bool covers(const SampledChannel& channel, const AskedBlock& block, AxisSet axes);

// Calls visit(axes) for all sets that the block covers. Throws compiler::WorkStopped.
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

// kNoReports, or kQueryNotCovered if the task never asks about these attributes together; names them.
Error none_asked(const QuestionIndex& index, std::span<const std::uint32_t> attributes);

}  // namespace hearsay::estimator
