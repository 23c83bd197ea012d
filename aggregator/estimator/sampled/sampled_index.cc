#include "aggregator/estimator/sampled/sampled_index.h"

#include <algorithm>

#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

Error of_another_task() { return {ErrorCode::kInvalidArgument, "the tally is not of the task's reports"}; }

bool below(const tally::SampledTally::Entry& entry, std::uint64_t group) { return entry.group < group; }

}  // namespace

Result<SampledIndex> SampledIndex::create(const Task& task, const tally::SampledTally& tally,
                                          std::size_t most_part_bytes) {
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
  index.index_wide_groups(most_part_bytes);
  return index;
}

std::span<const SampledIndex::Entry> SampledIndex::entries(std::uint64_t first, std::uint64_t count) const {
  const auto begin = std::lower_bound(entries_.begin(), entries_.end(), first, below);
  const auto end = std::lower_bound(begin, entries_.end(), first + count, below);
  return {begin, end};
}

void SampledIndex::index_wide_groups(std::size_t most_part_bytes) {
  if (!std::holds_alternative<Characters>(task_.arrangement().kind())) return;
  const std::span<const SampledChannel::GroupClass> classes = channel().classes();
  std::size_t bytes = 0;
  for (const auto& group_class : classes) {
    if (group_class.kind == GroupKind::kSingle) continue;
    bytes += entries(group_class.first, group_class.count).size() * (sizeof(Wide) + group_class.size * sizeof(Part));
  }
  too_many_parts_ = bytes > most_part_bytes;
  if (too_many_parts_ || bytes == 0) return;
  parts_.resize(task_.asked_schema().size());
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    if (classes[c].kind == GroupKind::kSingle) continue;
    std::vector<Factor> of_group(classes[c].size);
    for (const Entry& entry : entries(classes[c].first, classes[c].count)) {
      channel().factors(entry.group, of_group);
      const std::uint32_t shown = factor_bits(classes[c], entry.answer);
      for (std::size_t i = 0; i < of_group.size(); ++i) {
        parts_[of_group[i].attribute].push_back(
            {static_cast<std::uint32_t>(wide_.size()), of_group[i].mask, shown >> i & 1U});
      }
      wide_.push_back({c, entry.count});
    }
  }
}

}  // namespace hearsay::estimator
