#include "aggregator/estimator/sampled/sampled_index.h"

#include <algorithm>

#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

Error of_another_task() { return {ErrorCode::kInvalidArgument, "the tally is not of the task's reports"}; }

bool below(const tally::SampledTally::Entry& entry, std::uint64_t group) { return entry.group < group; }

}  // namespace

Result<SampledIndex> SampledIndex::create(const Task& task, const tally::SampledTally& tally) {
  SampledIndex index(task);
  index.reports_ = tally.reports();
  index.entries_ = tally.entries();
  const SampledChannel& channel = index.channel();
  for (const SampledChannel::GroupClass& group_class : channel.classes()) {
    for (const Entry& entry : index.entries(group_class.first, group_class.count)) {
      if (entry.answer >> group_class.width != 0) return of_another_task();
    }
  }
  if (!index.entries_.empty() && index.entries_.back().group >= channel.groups()) return of_another_task();
  HEARSAY_CHECK_OK(index.index_wide_groups());
  return index;
}

std::span<const SampledIndex::Entry> SampledIndex::entries(std::uint64_t first, std::uint64_t count) const {
  const auto begin = std::lower_bound(entries_.begin(), entries_.end(), first, below);
  const auto end = std::lower_bound(begin, entries_.end(), first + count, below);
  return {begin, end};
}

Result<void> SampledIndex::index_wide_groups() {
  const auto* characters = std::get_if<Characters>(&task_.arrangement().kind());
  if (characters == nullptr) return {};
  const std::span<const SampledChannel::GroupClass> classes = channel().classes();
  std::uint32_t most = 0;
  for (const auto& group_class : classes) {
    if (group_class.kind != GroupKind::kSingle) most = std::max(most, group_class.attributes);
  }
  if (most == 0) return {};

  std::vector<std::uint32_t> bits;
  for (std::size_t i = 0; i < task_.schema().size(); ++i) bits.push_back(characters->index().bits(i));
  HEARSAY_TRY(const CharacterIndex groups, CharacterIndex::create(std::move(bits), most));
  parts_.resize(task_.schema().size());
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    if (classes[c].kind == GroupKind::kSingle) continue;
    const std::uint32_t shift = classes[c].kind == GroupKind::kEven ? 1 : 0;
    std::vector<Factor> factors(classes[c].attributes);
    for (const Entry& entry : entries(classes[c].first, classes[c].count)) {
      groups.unrank(entry.group - classes[c].first, factors);
      const std::uint32_t factor_bits = entry.answer << shift;
      for (std::size_t i = 0; i < factors.size(); ++i) {
        parts_[factors[i].attribute].push_back(
            {static_cast<std::uint32_t>(wide_.size()), factors[i].mask, factor_bits >> i & 1U});
      }
      wide_.push_back({c, entry.count});
    }
  }
  return {};
}

}  // namespace hearsay::estimator
