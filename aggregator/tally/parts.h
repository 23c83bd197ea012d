// Cuts a tally into parts of bounded size, so that a store reads and writes only the parts that a batch of reports
// touches.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"

namespace hearsay::tally {

// The name of a part: the first (group, answer) pair that the part may hold. Parts are ordered by their names.
struct PartStart {
  std::uint64_t group = 0;
  std::uint32_t answer = 0;
  auto operator<=>(const PartStart&) const = default;
};

// Says where tallies of a channel are cut. A tally of `laplace` is one part.
class Parts {
 public:
  // The most (group, answer) pairs in a part of a `sampled` tally. If the channel has no more pairs than kMostPairs,
  // the tally is one part.
  static constexpr std::uint64_t kMostPairs = 4096;

  explicit Parts(const Channel& channel);

  // Returns how many different (group, answer) pairs the channel can make, but at most 2^64 - 1. Returns 1 for
  // `laplace`.
  std::uint64_t pairs() const { return pairs_; }
  // Returns the name of the part that holds the pair.
  PartStart of(std::uint64_t group, std::uint32_t answer) const;

  // Calls `visit` with the start and the encoding of each part that has reports, in ascending order. Returns how many
  // different pairs the tally has (1 for `laplace`). Errors: those of `visit`.
  Result<std::uint64_t> split(const Tally& tally,
                              const std::function<Result<void>(const PartStart&, std::string encoding)>& visit) const;
  // Returns how many different pairs the tally has. Returns 1 for `laplace`.
  static std::uint64_t pairs(const Tally& tally);
  // Returns true if the tally is of the channel's kind and has only pairs that the channel can make.
  bool fit(const Tally& tally) const;
  // Returns true if fit(tally) holds and all pairs of the tally belong to `part`.
  bool fit(const Tally& tally, const PartStart& part) const;

 private:
  std::uint64_t pairs_ = 1;
  std::size_t coordinates_ = 0;            // of `laplace`
  std::optional<SampledChannel> channel_;  // of `sampled`
  std::uint64_t groups_ = 0;               // for `strategy` the number of outputs, for `laplace` 0
  std::uint64_t groups_per_part_ = 0;
  std::uint32_t answers_per_part_ = 0;
};

}  // namespace hearsay::tally
