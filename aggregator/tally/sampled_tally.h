// The tally of the channel `sampled`: a histogram of the answers of every group drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  std::vector<Entry> entries() const&;
  std::vector<Entry> entries() &&;  // without a copy; the tally is empty then
  // Calls `visit` with each entry, ascending by (group, answer), without a copy of them.
  template <class Visit>
  void for_each(const Visit& visit) const;

  // Byte format: format.md. Encodings are equal iff the tallies are.
  std::string encode() const;
  // Of the tally with these entries, which ascend by (group, answer).
  static std::string encode(std::span<const Entry> entries);
  static Result<SampledTally> decode(std::string_view bytes);  // kStoreCorrupt

  bool operator==(const SampledTally& other) const;

 private:
  friend class SampledTallyBuilder;
  static std::vector<Entry> counted(const std::vector<Entry>& entries);  // ascending, each pair once
  void shorten();
  std::vector<Entry> sorted_;  // ascending by (group, answer), each pair once
  std::vector<Entry> recent_;  // not yet in sorted_; a pair may come several times
  std::uint64_t reports_ = 0;
};

// Makes a tally of entries that come in ascending order. Memory: that of the entries, and as much again while finish()
// runs; a vector that grows would take three times as much.
class SampledTallyBuilder {
 public:
  // The entry is the pair of the last one, whose count then grows, or a later pair. Errors: kOverflow (more than
  // kMaxReports).
  Result<void> add(const SampledTally::Entry& entry);
  std::uint64_t pairs() const { return pairs_; }
  // The builder is empty then.
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
