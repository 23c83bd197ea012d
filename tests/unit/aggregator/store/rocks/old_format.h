// Stores as formats 2 and 3 had them: one row for the whole tally of a window.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "aggregator/tally/tally.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::rocks::tests {

// The whole tallies of the store, by the keys that they had.
inline std::map<std::string, tally::Tally> whole_tallies(RawDatabase& raw) {
  std::map<std::string, tally::Tally> whole;
  const std::unique_ptr<rocksdb::Iterator> row(raw->NewIterator({}, raw.family(kTallies)));
  for (row->SeekToFirst(); row->Valid(); row->Next()) {
    const PartKey key = PartKey::decode(row->key().ToStringView()).value();
    const tally::Tally part = tally::Tally::decode(row->value().ToStringView()).value();
    const auto [at, is_new] = whole.try_emplace(window_key(key.task, key.window), part);
    if (!is_new) REQUIRE(at->second.merge(part));
  }
  return whole;
}

// How many rows of `tallies` are whole tallies.
inline std::size_t whole_rows(RawDatabase& raw) {
  std::size_t rows = 0;
  const std::unique_ptr<rocksdb::Iterator> row(raw->NewIterator({}, raw.family(kTallies)));
  for (row->SeekToFirst(); row->Valid(); row->Next()) rows += row->key().size() == kWindowKeySize ? 1 : 0;
  return rows;
}

inline void write_whole_tallies(RawDatabase& raw, const std::string& format) {
  const auto whole = whole_tallies(raw);
  REQUIRE(raw->DeleteRange({}, raw.family(kTallies), std::string(1, '\0'), std::string(kPartKeySize, '\xff')).ok());
  for (const auto& [key, tally] : whole) REQUIRE(raw->Put({}, raw.family(kTallies), key, tally.encode()).ok());
  REQUIRE(raw->Put({}, raw.family(kMeta), "format", format).ok());
}

}  // namespace hearsay::store::rocks::tests
