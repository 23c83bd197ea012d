#include "aggregator/store/window_pairs.h"

#include <algorithm>

namespace hearsay::store {

std::optional<Pair> pair_of(const Channel& channel, std::span<const std::uint8_t> payload) {
  if (const auto* strategy = std::get_if<StrategyChannel>(&channel.kind())) {
    const auto output = strategy->try_unpack(payload);
    return output ? std::optional(Pair{*output, 0}) : std::nullopt;
  }
  const auto answer = std::get<SampledChannel>(channel.kind()).try_unpack(payload);
  if (!answer) return std::nullopt;
  return Pair{answer->group, answer->answer};
}

void NewPairs::count(const Pair& pair) {
  const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), pair);
  if (found == pairs_.end() || *found != pair) return;
  const auto i = static_cast<std::size_t>(found - pairs_.begin());
  if (counted_[i]) return;
  counted_[i] = true;
  --room_;
}

std::uint64_t NewPairs::counted() const { return static_cast<std::uint64_t>(std::ranges::count(counted_, true)); }

}  // namespace hearsay::store
