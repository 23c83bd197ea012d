// Counts the different (group, answer) pairs of a window. A window may hold only a bounded number of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/channel/channel.h"

namespace hearsay::store {

using Pair = std::pair<std::uint64_t, std::uint32_t>;

// Returns nothing if the channel makes no such payload. The channel must not be `laplace`.
std::optional<Pair> pair_of(const Channel& channel, std::span<const std::uint8_t> payload);

// Until the pairs reach half of what the window may hold, all pairs of a batch are counted as new ones, which costs
// nothing. From there on each batch looks its own pairs up. So the count is never too low, and a window that counts as
// full has at least half of its pairs.
inline bool must_look_up(std::uint64_t most, std::uint64_t possible, std::uint64_t counted, std::uint64_t reports) {
  return possible > most && counted + reports > most / 2;
}

// The pairs of a batch that a window does not have yet.
class NewPairs {
 public:
  // `pairs` must ascend. `room`: how many more pairs the window takes.
  NewPairs(std::vector<Pair> pairs, std::uint64_t room)
      : pairs_(std::move(pairs)), counted_(pairs_.size()), room_(room) {}

  // A full window takes no report at all. If it still took reports with known pairs, their answers would decide which
  // reports are counted, and estimates would be biased.
  bool full() const { return room_ == 0; }
  // Counts the pair of an accepted report, if the window does not have the pair yet.
  void count(const Pair& pair);
  std::uint64_t counted() const;

 private:
  std::vector<Pair> pairs_;
  std::vector<bool> counted_;  // for each pair, whether an accepted report has it
  std::uint64_t room_;
};

}  // namespace hearsay::store
