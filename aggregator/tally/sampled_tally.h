// The tally of the channel `sampled`: a histogram of the answers of every group drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::tally {

// Memory in proportion to the different (group, answer) pairs seen. Adding one costs O(bits of the largest pair) on
// average, whatever groups clients choose. Reading from several threads is safe while none writes.
class SampledTally {
 public:
  static constexpr std::uint64_t kMaxReports = std::uint64_t{1} << 32U;
  // Groups and answers are below these.
  static constexpr std::uint64_t kGroupLimit = std::uint64_t{1} << 62U;
  static constexpr std::uint32_t kAnswerLimit = 1U << 16U;

  struct Entry {
    std::uint64_t group;
    std::uint32_t answer;
    std::uint64_t count;  // at least 1
    bool operator==(const Entry&) const = default;
  };

  std::uint64_t reports() const { return reports_; }
  void add(std::uint64_t group, std::uint32_t answer);
  // Adds to every pair its entry's count. Pairs may repeat; the caller sees to it that kMaxReports are not exceeded.
  void add_all(std::span<const Entry> entries);
  // Errors: kOverflow (more than kMaxReports), and then nothing has changed. Cost: that of adding the other's pairs.
  Result<void> merge(const SampledTally& other);
  // Ascending by (group, answer).
  std::vector<Entry> entries() const;

  // Byte format: format.md. Encodings are equal iff the tallies are.
  std::string encode() const;
  static Result<SampledTally> decode(std::string_view bytes);  // kStoreCorrupt

  bool operator==(const SampledTally& other) const;

 private:
  void shorten();
  std::vector<Entry> sorted_;  // ascending by (group, answer), each pair once
  std::vector<Entry> recent_;  // not yet in sorted_; a pair may come several times
  std::uint64_t reports_ = 0;
};

}  // namespace hearsay::tally
