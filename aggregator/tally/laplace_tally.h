// The exact integers from which every estimate follows. Mergeable; the order of reports does not matter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/int128.h"
#include "hearsay/result.h"

namespace hearsay::tally {

// Per coordinate: Σy and Σy². With |y| <= 2^31 - 1 and at most 2^32 reports neither overflows.
struct LaplaceTally {
  static constexpr std::uint64_t kMaxReports = std::uint64_t{1} << 32U;

  std::uint64_t reports = 0;
  std::vector<std::int64_t> sum;
  std::vector<Uint128> sum_of_squares;

  explicit LaplaceTally(std::size_t coordinates) : sum(coordinates), sum_of_squares(coordinates) {}

  // Adds one report. `y` has as many elements as the tally has coordinates.
  void add(std::span<const std::int32_t> y);
  // Errors: kInvalidArgument (other number of coordinates), kOverflow (more than kMaxReports).
  Result<void> merge(const LaplaceTally& other);

  // Byte format: format.md. Encodings are equal iff the tallies are.
  std::string encode() const;
  // Errors: kStoreCorrupt.
  static Result<LaplaceTally> decode(std::string_view bytes);

  bool operator==(const LaplaceTally&) const = default;
};

}  // namespace hearsay::tally
