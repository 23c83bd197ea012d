#include "aggregator/tally/parts.h"

#include <algorithm>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "common/base/int128.h"
#include "common/base/try.h"

namespace hearsay::tally {

Parts::Parts(const Channel& channel) {
  if (const auto* laplace = std::get_if<LaplaceChannel>(&channel.kind())) {
    coordinates_ = laplace->coordinates();
    return;
  }
  Uint128 pairs = 0;
  std::uint32_t width = 0;
  if (const auto* sampled = std::get_if<SampledChannel>(&channel.kind())) {
    channel_ = *sampled;
    groups_ = sampled->groups();
    for (const SampledChannel::GroupClass& group_class : sampled->classes()) {
      pairs += Uint128{group_class.count} << group_class.width;
      width = std::max(width, group_class.width);
    }
  } else {
    groups_ = std::get<StrategyChannel>(channel.kind()).outputs();
    pairs = groups_;
  }
  pairs_ = static_cast<std::uint64_t>(std::min(pairs, Uint128{std::numeric_limits<std::uint64_t>::max()}));
  const std::uint64_t answers = std::uint64_t{1} << width;
  answers_per_part_ = static_cast<std::uint32_t>(std::min(answers, kMostPairs));
  groups_per_part_ = pairs_ <= kMostPairs ? groups_ : kMostPairs / answers_per_part_;
}

PartStart Parts::of(std::uint64_t group, std::uint32_t answer) const {
  return {group - group % groups_per_part_, answer - answer % answers_per_part_};
}

Result<std::uint64_t> Parts::split(
    const Tally& tally, const std::function<Result<void>(const PartStart&, std::string encoding)>& visit) const {
  const auto* sampled = std::get_if<SampledTally>(&tally.kind());
  if (sampled == nullptr) {
    HEARSAY_CHECK_OK(visit({}, tally.encode()));
    return std::uint64_t{1};
  }
  const std::vector<SampledTally::Entry> entries = sampled->entries();
  std::span<const SampledTally::Entry> rest = entries;
  while (!rest.empty()) {
    const PartStart part = of(rest.front().group, rest.front().answer);
    const auto of_another = [&](const SampledTally::Entry& entry) { return of(entry.group, entry.answer) != part; };
    const auto end = std::find_if(rest.begin(), rest.end(), of_another);
    const auto size = static_cast<std::size_t>(end - rest.begin());
    HEARSAY_CHECK_OK(visit(part, SampledTally::encode(rest.first(size))));
    rest = rest.subspan(size);
  }
  return std::uint64_t{entries.size()};
}

std::uint64_t Parts::pairs(const Tally& tally) {
  const auto* sampled = std::get_if<SampledTally>(&tally.kind());
  if (sampled == nullptr) return 1;
  std::uint64_t pairs = 0;
  sampled->for_each([&](const SampledTally::Entry&) { ++pairs; });
  return pairs;
}

bool Parts::fit(const Tally& tally) const {
  if (const auto* laplace = std::get_if<LaplaceTally>(&tally.kind())) {
    return groups_ == 0 && laplace->sum.size() == coordinates_;
  }
  bool good = groups_ != 0;
  std::get<SampledTally>(tally.kind()).for_each([&](const SampledTally::Entry& entry) {
    // A report of `strategy` is counted as the answer 0.
    const auto is_answer = [&] {
      return channel_ ? channel_->is_answer(entry.group, entry.answer) : entry.answer == 0;
    };
    good = good && entry.group < groups_ && is_answer();
  });
  return good;
}

bool Parts::fit(const Tally& tally, const PartStart& part) const {
  if (!fit(tally)) return false;
  const auto* sampled = std::get_if<SampledTally>(&tally.kind());
  if (sampled == nullptr) return part == PartStart{};
  bool good = true;
  sampled->for_each([&](const SampledTally::Entry& entry) { good = good && of(entry.group, entry.answer) == part; });
  return good;
}

}  // namespace hearsay::tally
