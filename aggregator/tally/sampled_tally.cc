// The tally is a sorted list and an unsorted list of recent entries. It is not a hash table, because clients choose the
// groups and could make the entries of a hash table collide. The store also needs the entries in order.

#include "aggregator/tally/sampled_tally.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>

#include "aggregator/tally/encoding.h"

namespace hearsay::tally {
namespace {

using Entry = SampledTally::Entry;

constexpr std::size_t kLeastRecent = 1024;

auto key(const Entry& entry) { return std::tie(entry.group, entry.answer); }

std::vector<Entry> folded(const std::vector<Entry>& sorted) {
  std::vector<Entry> out;
  for (const Entry& entry : sorted) {
    if (!out.empty() && key(out.back()) == key(entry)) {
      out.back().count += entry.count;
    } else {
      out.push_back(entry);
    }
  }
  return out;
}

// An entry whose (group, answer) pair is packed into one number, `key`. Keys have the order of the pairs.
struct Keyed {
  std::uint64_t key;
  std::uint64_t count;
};

// Sorts by each digit of the keys, the least significant first. Each pass keeps the order of equal digits.
void sort_by_digits(std::vector<Keyed>& entries, unsigned key_bits) {
  constexpr unsigned kDigitBits = 8;
  std::vector<Keyed> other(entries.size());
  for (unsigned shift = 0; shift < key_bits; shift += kDigitBits) {
    const auto digit = [shift](const Keyed& entry) { return (entry.key >> shift) % (1U << kDigitBits); };
    std::array<std::size_t, 1U << kDigitBits> next{};
    for (const Keyed& entry : entries) ++next[digit(entry)];
    std::size_t before = 0;
    for (std::size_t& at : next) at = std::exchange(before, before + at);
    for (const Keyed& entry : entries) other[next[digit(entry)]++] = entry;
    entries.swap(other);
  }
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 128; value >>= 7U) out.push_back(static_cast<char>(static_cast<std::uint8_t>(value | 128U)));
  out.push_back(static_cast<char>(value));
}

// Removes a number from the front of `bytes`, and returns it. Returns nothing if the number has more than 9 digits or
// superfluous digits.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 9 && i < bytes.size(); ++i) {
    const auto digit = static_cast<std::uint8_t>(bytes[i]);
    value |= std::uint64_t{digit & 127U} << (7 * i);
    if (digit >= 128) continue;
    if (digit == 0 && i > 0) return std::nullopt;
    bytes.remove_prefix(i + 1);
    return value;
  }
  return std::nullopt;
}

}  // namespace

// Uses radix sort, or std::sort if there are few entries or their pairs have more than kMostBits bits.
std::vector<Entry> SampledTally::counted(const std::vector<Entry>& entries) {
  std::uint64_t groups = 0;
  std::uint32_t answers = 0;
  for (const Entry& entry : entries) {
    groups |= entry.group;
    answers |= entry.answer;
  }
  constexpr unsigned kMostBits = 48;
  const auto answer_bits = static_cast<unsigned>(std::bit_width(answers));
  const auto key_bits = static_cast<unsigned>(std::bit_width(groups)) + answer_bits;
  if (key_bits > kMostBits || entries.size() < kLeastRecent) {
    std::vector<Entry> sorted = entries;
    std::sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return key(a) < key(b); });
    return folded(sorted);
  }
  std::vector<Keyed> keyed;
  keyed.reserve(entries.size());
  for (const Entry& entry : entries) keyed.push_back({entry.group << answer_bits | entry.answer, entry.count});
  sort_by_digits(keyed, key_bits);
  std::vector<Entry> out;
  out.reserve(keyed.size());
  std::uint64_t last = 0;
  for (const Keyed& entry : keyed) {
    if (!out.empty() && entry.key == last) {
      out.back().count += entry.count;
      continue;
    }
    last = entry.key;
    const std::uint64_t answer_mask = (std::uint64_t{1} << answer_bits) - 1;
    out.push_back({last >> answer_bits, static_cast<std::uint32_t>(last & answer_mask), entry.count});
  }
  return out;
}

void SampledTally::add(std::uint64_t group, std::uint32_t answer) {
  recent_.push_back({group, answer, 1});
  ++reports_;
  shorten();
}

void SampledTally::add_all(std::span<const Entry> entries) {
  while (!entries.empty()) {
    const std::size_t room = std::max(kLeastRecent, sorted_.size()) - recent_.size();
    const auto some = entries.first(std::min(room, entries.size()));
    recent_.insert(recent_.end(), some.begin(), some.end());
    for (const Entry& entry : some) reports_ += entry.count;
    entries = entries.subspan(some.size());
    shorten();
  }
}

// Merges the unsorted list into the sorted list when the unsorted list is as long as the sorted list and has at least
// kLeastRecent entries.
void SampledTally::shorten() {
  if (recent_.size() < std::max(kLeastRecent, sorted_.size())) return;
  sorted_ = entries();
  recent_.clear();
}

Result<void> SampledTally::merge(const SampledTally& other) {
  if (other.reports_ > kMaxReports || reports_ > kMaxReports - other.reports_) {
    return Error{ErrorCode::kOverflow, "a tally holds at most 2^32 reports"};
  }
  // `other` may be this tally, so its entries are copied.
  add_all(other.entries());
  return {};
}

std::vector<Entry> SampledTally::entries() && {
  if (!recent_.empty()) sorted_ = entries();
  recent_.clear();
  reports_ = 0;
  return std::exchange(sorted_, {});
}

std::vector<Entry> SampledTally::entries() const& {
  if (recent_.empty()) return sorted_;
  std::vector<Entry> out;
  out.reserve(sorted_.size() + recent_.size());
  for_each([&](const Entry& entry) { out.push_back(entry); });
  return out;
}

bool SampledTally::operator==(const SampledTally& other) const {
  return reports_ == other.reports_ && entries() == other.entries();
}

std::string SampledTally::encode() const { return recent_.empty() ? encode(sorted_) : encode(entries()); }

std::string SampledTally::encode(std::span<const Entry> entries) {
  std::string out(1, kKindSampled);
  append_varint(out, entries.size());
  std::uint64_t group = 0;
  std::uint32_t next_answer = 0;
  for (const Entry& entry : entries) {
    if (entry.group != group) next_answer = 0;
    append_varint(out, entry.group - group);
    append_varint(out, entry.answer - next_answer);
    append_varint(out, entry.count);
    group = entry.group;
    next_answer = entry.answer + 1;
  }
  return out;
}

Result<SampledTally> SampledTally::decode(std::string_view bytes) {
  if (bytes.empty() || bytes[0] != kKindSampled) return corrupt("a tally is of an unknown kind");
  bytes.remove_prefix(1);
  const auto size = take_varint(bytes);
  if (!size || *size > bytes.size() / 3) return corrupt("a tally ends early");
  SampledTally tally;
  tally.sorted_.reserve(*size);
  std::uint64_t group = 0;
  std::uint64_t next_answer = 0;
  for (std::uint64_t i = 0; i < *size; ++i) {
    const auto step = take_varint(bytes);
    const auto skipped = take_varint(bytes);
    const auto count = take_varint(bytes);
    if (!step || !skipped || !count) return corrupt("a tally ends early or holds a malformed number");
    if (*step != 0) next_answer = 0;
    if (*step >= kGroupLimit - group || *skipped >= kAnswerLimit - next_answer) {
      return corrupt("a tally has an impossible group or answer");
    }
    if (*count == 0 || *count > kMaxReports - tally.reports_) return corrupt("a tally has an impossible count");
    group += *step;
    next_answer += *skipped;
    tally.sorted_.push_back({group, static_cast<std::uint32_t>(next_answer), *count});
    tally.reports_ += *count;
    ++next_answer;
  }
  if (!bytes.empty()) return corrupt("bytes follow the end of a tally");
  return tally;
}

Result<void> SampledTallyBuilder::add(const Entry& entry) {
  if (entry.count > SampledTally::kMaxReports - reports_) {
    return Error{ErrorCode::kOverflow, "a tally holds at most 2^32 reports"};
  }
  reports_ += entry.count;
  if (!chunks_.empty() && key(chunks_.back().back()) == key(entry)) {
    chunks_.back().back().count += entry.count;
    return {};
  }
  if (chunks_.empty() || chunks_.back().size() == kChunk) {
    chunks_.emplace_back();
    // Memory is reserved for all chunks except the first, which may stay small.
    if (chunks_.size() > 1) chunks_.back().reserve(kChunk);
  }
  chunks_.back().push_back(entry);
  ++pairs_;
  return {};
}

SampledTally SampledTallyBuilder::finish() {
  SampledTally tally;
  tally.sorted_.reserve(pairs_);
  tally.reports_ = reports_;
  for (std::vector<Entry>& chunk : chunks_) {
    tally.sorted_.insert(tally.sorted_.end(), chunk.begin(), chunk.end());
    chunk = std::vector<Entry>();
  }
  *this = SampledTallyBuilder();
  return tally;
}

}  // namespace hearsay::tally
