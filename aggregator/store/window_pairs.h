// The different (group, answer) pairs of a window, of which a window holds a bounded number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/channel/channel.h"

namespace hearsay::store {

using Pair = std::pair<std::uint64_t, std::uint32_t>;

// Nothing if the payload is none of the channel's, which is not `laplace`.
std::optional<Pair> pair_of(const Channel& channel, std::span<const std::uint8_t> payload);

// A window's pairs are counted as if none of a batch was there before, which costs nothing, until they come to half of
// what the window may hold. From there on each batch looks its own pairs up. So the count is never too low, and where
// it says that the window is full, at least half of its pairs are there.
inline bool must_look_up(std::uint64_t most, std::uint64_t possible, std::uint64_t counted, std::uint64_t reports) {
  return possible > most && counted + reports > most / 2;
}

// The pairs of a batch that a window does not have yet.
class NewPairs {
 public:
  // `pairs` ascend. `room`: how many the window still takes.
  NewPairs(std::vector<Pair> pairs, std::uint64_t room)
      : pairs_(std::move(pairs)), counted_(pairs_.size()), room_(room) {}

  // A window that holds as many pairs as it may takes no report at all, so that it does not depend on their answers
  // which reports are counted: that would bias the estimates.
  bool full() const { return room_ == 0; }
  // Counts the pair of an accepted report, if the window does not have the pair yet.
  void count(const Pair& pair);
  std::uint64_t counted() const;

 private:
  std::vector<Pair> pairs_;
  std::vector<bool> counted_;  // which of them an accepted report has
  std::uint64_t room_;
};

}  // namespace hearsay::store
