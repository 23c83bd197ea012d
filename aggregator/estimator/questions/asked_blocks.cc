#include "aggregator/estimator/questions/asked_blocks.h"

#include <bit>
#include <map>
#include <utility>

#include "aggregator/compiler/compile.h"

namespace hearsay::estimator {

AskedBlock make_block(const SampledChannel& channel, std::uint32_t group_class, AxisSet axes) {
  const SampledChannel::GroupClass& of = channel.classes()[group_class];
  return {group_class, axes, of.kind == GroupKind::kSingle, channel.gamma(of)};
}

std::vector<AskedBlock> asked_blocks(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                     compiler::Work& work) {
  constexpr std::uint64_t kBytesPerBlock = 512;
  constexpr std::uint32_t kNoAxis = ~0U;
  std::vector<std::uint32_t> axis_of(index.task().asked_schema().size(), kNoAxis);
  for (std::uint32_t i = 0; i < attributes.size(); ++i) axis_of[attributes[i]] = i;
  std::vector<AskedBlock> blocks;
  std::map<std::pair<std::uint32_t, AxisSet>, std::size_t> known;
  const auto sets = index.sets();
  for (std::uint32_t s = 0; s < sets.size(); ++s) {
    AxisSet axes = 0;
    const auto asked = index.attributes(sets[s]);
    work.spend(asked.size());
    for (const std::uint32_t attribute : asked) {
      if (axis_of[attribute] != kNoAxis) axes |= AxisSet{1} << axis_of[attribute];
    }
    const bool is_single = index.class_of(sets[s]).kind == GroupKind::kSingle;
    const auto size = static_cast<std::size_t>(std::popcount(axes));
    if (axes == 0 || (is_single && size < asked.size())) continue;
    const auto [at, is_new] = known.emplace(std::pair(sets[s].group_class, axes), blocks.size());
    if (is_new) {
      work.hold(kBytesPerBlock, "ask about fewer attributes");
      blocks.push_back(make_block(index.channel(), sets[s].group_class, axes));
    }
    blocks[at->second].sets.push_back(s);
    blocks[at->second].reports += static_cast<double>(sets[s].reports);
  }
  return blocks;
}

bool covers(const SampledChannel& channel, const AskedBlock& block, AxisSet axes) {
  return (axes & ~block.axes) == 0 && (!block.single || axes == block.axes) &&
         SampledChannel::covers_sets_of(channel.classes()[block.group_class],
                                        static_cast<std::size_t>(std::popcount(axes)));
}

std::vector<std::uint32_t> attributes_of(std::span<const std::uint32_t> attributes, AxisSet axes) {
  std::vector<std::uint32_t> result;
  for (; axes != 0; axes &= axes - 1) result.push_back(attributes[static_cast<std::size_t>(std::countr_zero(axes))]);
  return result;
}

Error none_asked(const QuestionIndex& index, std::span<const std::uint32_t> attributes) {
  const Schema& schema = index.task().asked_schema();
  if (!index.channel().asks(attributes)) return compiler::never_asked(schema, attributes);
  return {ErrorCode::kNoReports, "no report has asked about " + compiler::names(schema, attributes) + " yet"};
}

}  // namespace hearsay::estimator
