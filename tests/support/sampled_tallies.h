// Makes tallies of the channel `sampled` with given counts, also very large ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/tally/sampled_tally.h"
#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"

namespace hearsay::tests {

// Returns a tally with these counts. Entries with the same group and answer are added up, and counts of 0 are left
// out. The tally is read from its byte format, since add() takes only one report at a time.
inline tally::Tally sampled_tally_of(std::vector<tally::SampledTally::Entry> entries) {
  std::ranges::sort(entries, {}, [](const auto& e) { return std::pair(e.group, e.answer); });
  std::vector<tally::SampledTally::Entry> sum;
  for (const tally::SampledTally::Entry& entry : entries) {
    if (entry.count == 0) continue;
    if (!sum.empty() && sum.back().group == entry.group && sum.back().answer == entry.answer) {
      sum.back().count += entry.count;
    } else {
      sum.push_back(entry);
    }
  }
  std::string bytes(1, '\2');
  const auto append = [&](std::uint64_t number) {
    for (; number >= 128; number >>= 7U) bytes.push_back(static_cast<char>(static_cast<std::uint8_t>(number | 128U)));
    bytes.push_back(static_cast<char>(number));
  };
  append(sum.size());
  std::uint64_t group = 0;
  std::uint32_t next = 0;
  for (const tally::SampledTally::Entry& entry : sum) {
    if (entry.group != group) next = 0;
    append(entry.group - group);
    append(entry.answer - next);
    append(entry.count);
    group = entry.group;
    next = entry.answer + 1;
  }
  return tally::Tally(tally::SampledTally::decode(bytes).value());
}

}  // namespace hearsay::tests
