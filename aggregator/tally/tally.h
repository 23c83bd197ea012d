// Sums of reports: everything that an estimate is made of.
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

// The tally of a channel of either kind. Neither the order of the reports matters, nor how they are split into runs.
class Tally {
 public:
  static constexpr std::uint64_t kMaxReports = std::uint64_t{1} << 32U;  // of either kind

  // A tally of no reports, for payloads of this channel.
  static Tally empty(const Channel& channel);

  explicit Tally(LaplaceTally tally) : kind_(std::move(tally)) {}
  explicit Tally(SampledTally tally) : kind_(std::move(tally)) {}

  std::uint64_t reports() const;
  // Adds one payload. Errors: those of Channel::check(); kInvalidArgument (the tally is not one of this channel);
  // kOverflow (more than kMaxReports). The tally is unchanged then.
  Result<void> add(const Channel& channel, std::span<const std::uint8_t> payload);
  // Adds all of the payloads or, with the error of the first that add() refuses, none. The payloads may overlap.
  Result<void> add_all(const Channel& channel, std::span<const std::span<const std::uint8_t>> payloads);
  // Adds the other tally's reports. Errors: kInvalidArgument (another kind or number of coordinates), kOverflow.
  Result<void> merge(const Tally& other);

  // Byte format: format.md. Encodings are equal if and only if the tallies are.
  std::string encode() const;
  // Errors: kStoreCorrupt.
  static Result<Tally> decode(std::string_view bytes);

  const std::variant<LaplaceTally, SampledTally>& kind() const { return kind_; }
  bool operator==(const Tally&) const = default;

 private:
  std::variant<LaplaceTally, SampledTally> kind_;
};

}  // namespace hearsay::tally
