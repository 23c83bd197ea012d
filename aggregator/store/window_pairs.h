// Counts the different (group, answer) pairs of a window: which question was answered, and how. A window may have only
// a bounded number of pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/channel/channel.h"

namespace hearsay::store {

using Pair = std::pair<std::uint64_t, std::uint32_t>;

// Returns the pair that the payload holds; nothing if the channel makes no such payload. The channel must not be
// `laplace`.
std::optional<Pair> pair_of(const Channel& channel, std::span<const std::uint8_t> payload);

// Returns true if a batch of `reports` reports must look up which of its pairs the window already has. Below half of
// the bound `most`, all pairs of a batch count as new, without a look-up. So the count may be too high but is never too
// low, and a window that counts as full has at least most / 2 pairs. `possible`: how many pairs the channel can make.
// `counted`: the window's count before the batch.
inline bool must_look_up(std::uint64_t most, std::uint64_t possible, std::uint64_t counted, std::uint64_t reports) {
  return possible > most && counted + reports > most / 2;
}

// The pairs of a batch that a window does not have yet.
class NewPairs {
 public:
  // `pairs` must ascend. `room`: how many more pairs the window takes.
  NewPairs(std::vector<Pair> pairs, std::uint64_t room)
      : pairs_(std::move(pairs)), counted_(pairs_.size()), room_(room) {}

  // A full window takes no report at all. If a full window still took reports with known pairs, the answers of reports
  // would decide which reports are counted, and estimates would be biased.
  bool full() const { return room_ == 0; }
  // Counts the pair of an accepted report, if the window does not have the pair yet.
  void count(const Pair& pair);
  std::uint64_t counted() const;

 private:
  std::vector<Pair> pairs_;
  std::vector<bool> counted_;  // for each pair: true if an accepted report has the pair
  std::uint64_t room_;
};

}  // namespace hearsay::store
