// The tally of the channel `sampled`: a histogram of the answers of every group drawn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay {

// Memory in proportion to the different (group, answer) pairs seen.
class SampledTally {
 public:
  static constexpr std::uint64_t kMaxReports = std::uint64_t{1} << 32U;

  struct Entry {
    std::uint64_t group;
    std::uint32_t answer;
    std::uint64_t count;  // at least 1
    bool operator==(const Entry&) const = default;
  };

  std::uint64_t reports() const;
  void add(std::uint64_t group, std::uint32_t answer);
  // Errors: kOverflow (more than kMaxReports).
  Result<void> merge(const SampledTally& other);
  // Ascending by (group, answer).
  std::vector<Entry> entries() const;

  // Byte format: common/channel/format.md. Encodings are equal iff the tallies are.
  std::string encode() const;
  static Result<SampledTally> decode(std::string_view bytes);  // kStoreCorrupt

  bool operator==(const SampledTally& other) const;
};

}  // namespace hearsay
