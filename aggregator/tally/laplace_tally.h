// The tally of the channel `laplace`: exact sums for each coordinate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/int128.h"
#include "hearsay/result.h"

namespace hearsay::tally {

// The sums Σy and Σy² of each coordinate, where y is a report's number at the coordinate. With |y| <= 2^31 - 1 and at
// most 2^32 reports, neither sum overflows.
struct LaplaceTally {
  static constexpr std::uint64_t kMaxReports = std::uint64_t{1} << 32U;

  std::uint64_t reports = 0;
  std::vector<std::int64_t> sum;
  std::vector<Uint128> sum_of_squares;

  explicit LaplaceTally(std::size_t coordinates) : sum(coordinates), sum_of_squares(coordinates) {}

  // Adds one report. `y` has one element for each coordinate.
  void add(std::span<const std::int32_t> y);
  // Adds the other tally's reports. Errors: kInvalidArgument (another number of coordinates), kOverflow (more than
  // kMaxReports).
  Result<void> merge(const LaplaceTally& other);

  // Returns the bytes that format.md describes. Two tallies have equal bytes if and only if they are equal.
  std::string encode() const;
  // Reads the bytes that format.md describes. Errors: kStoreCorrupt.
  static Result<LaplaceTally> decode(std::string_view bytes);

  bool operator==(const LaplaceTally&) const = default;
};

}  // namespace hearsay::tally
