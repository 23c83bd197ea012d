// A tally cut into parts of bounded size, so that a store adds to the parts that a batch of reports touches and reads
// none of the others.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"

namespace hearsay::tally {

// The first pair that a part may hold: the part's name. Parts ascend as their pairs do.
struct PartStart {
  std::uint64_t group = 0;
  std::uint32_t answer = 0;
  auto operator<=>(const PartStart&) const = default;
};

// Where the tallies of a channel are cut; follows from the channel alone. A tally of `laplace` is one part.
class Parts {
 public:
  // Of `sampled`. What the store merges or looks into at a time; a smaller tally is one part.
  static constexpr std::uint64_t kMostPairs = 4096;

  explicit Parts(const Channel& channel);

  // How many (group, answer) pairs reports can have, at most 2^64 - 1; 1 for `laplace`.
  std::uint64_t pairs() const { return pairs_; }
  PartStart of(std::uint64_t group, std::uint32_t answer) const;

  // Calls `visit` with each part that has reports, ascending: its start and its encoding. Returns how many different
  // pairs the tally has (1 for `laplace`). Errors: those of `visit`.
  Result<std::uint64_t> split(const Tally& tally,
                              const std::function<Result<void>(const PartStart&, std::string encoding)>& visit) const;
  // How many different pairs the tally has; 1 for `laplace`.
  static std::uint64_t pairs(const Tally& tally);
  // Whether the channel's reports can have given the tally.
  bool fit(const Tally& tally) const;
  // Whether, moreover, all of the tally is of this part.
  bool fit(const Tally& tally, const PartStart& part) const;

 private:
  std::uint64_t pairs_ = 1;
  std::size_t coordinates_ = 0;            // of `laplace`
  std::optional<SampledChannel> channel_;  // of `sampled`
  std::uint64_t groups_ = 0;               // of `sampled`; of `strategy` its outputs; 0 for `laplace`
  std::uint64_t groups_per_part_ = 0;
  std::uint32_t answers_per_part_ = 0;
};

}  // namespace hearsay::tally
