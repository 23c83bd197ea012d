#include "aggregator/central/parity/block_learner.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "aggregator/central/parity/parity_votes.h"
#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {
namespace {

constexpr std::uint32_t kMostBlockSamples = std::uint32_t{1} << 24U;

BitRow block_mask(std::uint32_t block, std::uint32_t width, unsigned selectable) {
  BitRow mask = 0;
  for (std::uint32_t i = block * width; i < std::min<std::uint32_t>((block + 1) * width, selectable); ++i) {
    mask |= BitRow{1} << i;
  }
  return mask;
}

// In each group of rows that agree in the block, XORs a random row of the group into the other rows, and drops the
// random row. The other rows are then 0 in the block.
void clear_block(std::vector<BitRow>& samples, BitRow mask, BitSource& bits) {
  std::ranges::sort(samples, {}, [mask](BitRow row) { return row & mask; });
  std::vector<BitRow> left;
  for (std::size_t first = 0; first < samples.size();) {
    std::size_t end = first;
    while (end < samples.size() && (samples[end] & mask) == (samples[first] & mask)) ++end;
    const std::size_t pivot = first + uniform_below(bits, end - first);
    for (std::size_t i = first; i < end; ++i) {
      if (i != pivot) left.push_back(samples[i] ^ samples[pivot]);
    }
    first = end;
  }
  samples = std::move(left);
}

std::optional<bool> block_vote(std::vector<BitRow> samples, const BlockPlan& plan, unsigned attributes,
                               unsigned attribute, BitSource& bits) {
  const std::uint32_t own = attribute / plan.width;
  for (std::uint32_t block = 0; block < plan.blocks; ++block) {
    if (block != own) clear_block(samples, block_mask(block, plan.width, attributes - 1), bits);
  }
  const BitRow without_label = (BitRow{1} << (attributes - 1)) - 1;
  std::erase_if(samples, [&](BitRow row) { return (row & without_label) != BitRow{1} << attribute; });
  if (samples.empty()) return std::nullopt;
  return (samples[uniform_below(bits, samples.size())] >> (attributes - 1) & 1U) != 0;
}

}  // namespace

Result<BlockPlan> plan_parity_by_blocks(unsigned attributes, double noise_rate, double delta, std::uint32_t blocks) {
  if (attributes < 2 || attributes > kMostParityAttributes || blocks < 1 || blocks > attributes - 1) {
    return Error{ErrorCode::kInvalidArgument,
                 "rows must have 2 to 20 attributes, and at most one block for each attribute but the label"};
  }
  if (!(noise_rate >= 0 && noise_rate < 0.5) || !(delta > 0 && delta < 1)) {
    return Error{ErrorCode::kInvalidArgument, "the noise rate must lie in [0, 1/2), and delta strictly in (0, 1)"};
  }
  const unsigned selectable = attributes - 1;
  const std::uint32_t width = (selectable + blocks - 1) / blocks;
  const std::uint32_t used =
      (selectable + width - 1) / width;  // width 2 cuts 5 attributes into 3 blocks, also if `blocks` is 4
  const double labels = std::exp2(used - 1.0);
  const double advantage = std::pow(1 - 2 * noise_rate, labels) / 2;
  HEARSAY_TRY(const std::uint32_t votes, votes_for(selectable, advantage, delta));
  return BlockPlan{used, width, (used + 1) << width, votes};
}

Result<BlockPlan> best_block_plan(unsigned attributes, double noise_rate, double delta) {
  HEARSAY_TRY(BlockPlan best, plan_parity_by_blocks(attributes, noise_rate, delta, 1));
  for (std::uint32_t blocks = 2; blocks < attributes; ++blocks) {
    const auto plan = plan_parity_by_blocks(attributes, noise_rate, delta, blocks);
    if (plan && plan->rows(attributes) < best.rows(attributes)) best = *plan;
  }
  return best;
}

Result<LearnedParity> learn_parity_by_blocks(const ReleasedRows& rows, const BlockPlan& plan, BitSource& bits) {
  const unsigned selectable = rows.attributes() - 1;
  const bool covers =
      plan.width >= 1 && plan.width <= selectable && plan.blocks == (selectable + plan.width - 1) / plan.width;
  if (!covers || plan.samples == 0 || plan.votes == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "the blocks must cover the attributes, and have samples and at least one vote"};
  }
  if (plan.samples > kMostBlockSamples || plan.votes > kMostVotes) {
    return Error{ErrorCode::kLimitExceeded, "a plan may have at most 2^24 samples for each vote, and 10^7 votes"};
  }
  return learn_by_votes(rows, plan.samples, plan.votes, bits,
                        [&](const std::vector<BitRow>& samples, unsigned attribute) {
                          return block_vote(samples, plan, rows.attributes(), attribute, bits);
                        });
}

}  // namespace hearsay::central
