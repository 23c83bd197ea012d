// Learns the hidden vector of a parity block by block. A vote takes more rows than with elimination (parity_learner.h),
// but adds up far fewer labels.
#pragma once

#include <cstdint>

#include "aggregator/central/parity/parity_learner.h"

namespace hearsay::central {

// Cuts the attributes without the label into `blocks` blocks of `width` attributes. The last block may be narrower.
struct BlockPlan {
  std::uint32_t blocks;
  std::uint32_t width;
  std::uint32_t samples;  // rows of one vote: (blocks + 1)·2^width
  std::uint32_t votes;
  // Returns the number of rows drawn for a whole vector if no draw must be repeated. `attributes` counts the label,
  // too.
  std::uint64_t rows(unsigned attributes) const { return std::uint64_t{attributes - 1} * samples * votes; }
};

// Plans as plan_parity() does, for the block learner. d = `attributes`, η = `noise_rate`. The plan has fewer blocks
// than asked for if these already cover the attributes. A vote adds up 2^(blocks-1) labels, so the vote is right with
// probability at least 1/2 + (1-2η)^(2^(blocks-1))/2. With log2(d)/2 blocks, samples and votes are both 2^{O(d/log d)}:
// Theorem 6.1 of Xiao, Xiong, Yuan 2010, after Blum, Kalai, Wasserman 2003. Errors: those of plan_parity();
// kInvalidArgument unless 1 <= blocks <= d - 1.
Result<BlockPlan> plan_parity_by_blocks(unsigned attributes, double noise_rate, double delta, std::uint32_t blocks);
// Returns the plan of plan_parity_by_blocks() that draws the fewest rows, over all numbers of blocks. Errors: those of
// plan_parity(), if no number of blocks works.
Result<BlockPlan> best_block_plan(unsigned attributes, double noise_rate, double delta);

// Learns the hidden vector. A vote on an attribute clears all blocks except the attribute's own, one after another. To
// clear a block, the learner groups the rows that agree in the block, XORs one row of each group into the others of the
// group, and drops the one row. So clearing a block of w attributes drops at most 2^w rows. Then a random row is taken
// from the rows that have only the attribute in question. The label of this row is the vote. Reads only published rows,
// so learning costs no privacy. Errors: kInvalidArgument (the plan's blocks do not cover the attributes, or the plan
// has no samples or votes); kLimitExceeded (1,000 draws in a row give no vote, or the plan has more than 2^24 samples
// or 10^7 votes). Throws EntropyError. Cost: rows_drawn times the number of blocks.
Result<LearnedParity> learn_parity_by_blocks(const ReleasedRows& rows, const BlockPlan& plan, BitSource& bits);

}  // namespace hearsay::central
