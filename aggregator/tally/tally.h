// The sums of reports from which every estimate is computed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "aggregator/tally/laplace_tally.h"
#include "aggregator/tally/sampled_tally.h"
#include "common/channel/channel.h"

namespace hearsay::tally {

// The tally of a channel of any kind. The order of the reports does not matter. Merging tallies gives the tally of all
// their reports.
class Tally {
 public:
  static constexpr std::uint64_t kMaxReports = std::uint64_t{1} << 32U;  // of both kinds of tally

  // Returns a tally without reports, for payloads of this channel.
  static Tally empty(const Channel& channel);

  explicit Tally(LaplaceTally tally) : kind_(std::move(tally)) {}
  explicit Tally(SampledTally tally) : kind_(std::move(tally)) {}

  std::uint64_t reports() const;
  // Adds one payload. After an error the tally is unchanged. Errors: those of Channel::check(); kInvalidArgument (a
  // tally of another kind or number of coordinates); kOverflow (more than kMaxReports).
  Result<void> add(const Channel& channel, std::span<const std::uint8_t> payload);
  // Adds all payloads or none. Errors: those of add(). The payloads may share memory.
  Result<void> add_all(const Channel& channel, std::span<const std::span<const std::uint8_t>> payloads);
  // Adds the other tally's reports. Errors: kInvalidArgument (another kind or number of coordinates), kOverflow.
  Result<void> merge(const Tally& other);

  // Returns the bytes that format.md describes. Two tallies have equal bytes if and only if they are equal.
  std::string encode() const;
  // Reads the bytes that format.md describes. Errors: kStoreCorrupt.
  static Result<Tally> decode(std::string_view bytes);

  const std::variant<LaplaceTally, SampledTally>& kind() const { return kind_; }
  bool operator==(const Tally&) const = default;

 private:
  std::variant<LaplaceTally, SampledTally> kind_;
};

}  // namespace hearsay::tally
