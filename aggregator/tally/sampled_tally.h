// The tally of the channels `sampled` and `strategy`: how often each (group, answer) pair came.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::tally {

// Memory grows with the number of different pairs. If the largest pair has b bits, adding a pair takes O(b) time on
// average, whatever groups clients choose. Thread-safety: several threads may read while no thread writes.
class SampledTally {
 public:
  static constexpr std::uint64_t kMaxReports = std::uint64_t{1} << 32U;
  // Groups are below kGroupLimit, and answers are below kAnswerLimit.
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
  // Adds each entry's count to its pair. Pairs may repeat. The tally must not get more than kMaxReports reports.
  void add_all(std::span<const Entry> entries);
  // Adds the other tally's reports. Errors: kOverflow (more than kMaxReports); the tally is then unchanged.
  Result<void> merge(const SampledTally& other);
  // Returns all entries, ascending by (group, answer).
  std::vector<Entry> entries() const&;
  // Returns the same entries and leaves the tally empty, which can save a copy.
  std::vector<Entry> entries() &&;
  // Calls `visit` with each entry, ascending by (group, answer). Copies only the recent entries.
  template <class Visit>
  void for_each(const Visit& visit) const;

  // Returns the bytes that format.md describes. Two tallies have equal bytes if and only if they are equal.
  std::string encode() const;
  // Returns the bytes of a tally with these entries, which must ascend by (group, answer).
  static std::string encode(std::span<const Entry> entries);
  // Reads the bytes that format.md describes. Errors: kStoreCorrupt.
  static Result<SampledTally> decode(std::string_view bytes);

  bool operator==(const SampledTally& other) const;

 private:
  friend class SampledTallyBuilder;
  static std::vector<Entry> counted(const std::vector<Entry>& entries);  // ascending, each pair once
  void shorten();
  std::vector<Entry> sorted_;  // ascending by (group, answer), each pair once
  std::vector<Entry> recent_;  // not yet in sorted_; a pair may come several times
  std::uint64_t reports_ = 0;
};

// Makes a tally from entries in ascending order. Takes the memory of the entries, and up to twice as much while
// finish() runs.
class SampledTallyBuilder {
 public:
  // Adds an entry. If the entry has the pair of the entry before, the count of this pair grows. Otherwise the pair must
  // be greater than all pairs before. Errors: kOverflow (more than kMaxReports).
  Result<void> add(const SampledTally::Entry& entry);
  std::uint64_t pairs() const { return pairs_; }
  // Returns the tally. The builder is empty afterwards.
  SampledTally finish();

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16U;
  std::vector<std::vector<SampledTally::Entry>> chunks_;
  std::uint64_t pairs_ = 0;
  std::uint64_t reports_ = 0;
};

template <class Visit>
void SampledTally::for_each(const Visit& visit) const {
  const std::vector<Entry> others = recent_.empty() ? std::vector<Entry>() : counted(recent_);
  const auto pair = [](const Entry& entry) { return std::pair(entry.group, entry.answer); };
  auto next = others.begin();
  for (Entry entry : sorted_) {
    for (; next != others.end() && pair(*next) < pair(entry); ++next) visit(*next);
    if (next != others.end() && pair(*next) == pair(entry)) entry.count += (next++)->count;
    visit(entry);
  }
  for (; next != others.end(); ++next) visit(*next);
}

}  // namespace hearsay::tally
