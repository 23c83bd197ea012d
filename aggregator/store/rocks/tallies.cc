// Reads tallies part by part, adds up the tallies of windows, and finds which pairs a window does not have yet.
#include <rocksdb/snapshot.h>

#include <algorithm>

#include "aggregator/store/range_sum.h"
#include "aggregator/store/rocks/damage.h"
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "aggregator/tally/parts.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

using Entry = tally::SampledTally::Entry;

constexpr std::size_t kPairLookups = 1024;  // parts that new_pairs() looks up at a time

auto pair_of(const Entry& entry) { return std::pair(entry.group, entry.answer); }

}  // namespace

Result<tally::Tally> RocksStore::decode_part(const tally::Parts& parts, const PartKey& part, std::string_view key,
                                             std::string_view value) {
  auto tally = tally::Tally::decode(value);
  if (!tally || tally->reports() == 0 || !parts.fit(*tally, part.start)) return corrupt_entry("tallies", key);
  return tally;
}

class RocksStore::PartReader final : public TallyReader {
 public:
  // Reads the snapshot's view. Without a snapshot, reads the present state. `to` is the first window that is not read.
  PartReader(const RocksStore& store, const Task& task, const rocksdb::Snapshot* snapshot, UnixSeconds to = kEnd)
      : store_(store),
        id_(task.id()),
        parts_(task.channel()),
        end_(to == kEnd ? task_upper_bound(id_) : window_key(id_, to)),
        end_slice_(end_) {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    options.iterate_upper_bound = &end_slice_;
    // A pass over tallies must not push the ids' filters out of the cache.
    options.fill_cache = false;
    row_.reset(store.db_->NewIterator(options, store.family(kTallies)));
    row_->Seek(task_key(id_));
  }

  void seek(UnixSeconds window, const tally::PartStart& from) override {
    row_->Seek(PartKey{id_, window, from}.encode());
  }

  Result<std::optional<TallyPart>> next() override {
    if (!row_->Valid()) {
      if (!row_->status().ok()) return name_damage(row_->status(), store_.env_, store_.path_);
      return std::optional<TallyPart>();
    }
    const std::string_view key = row_->key().ToStringView();
    HEARSAY_TRY(const PartKey part, PartKey::decode(key));
    HEARSAY_TRY(tally::Tally tally, decode_part(parts_, part, key, row_->value().ToStringView()));
    row_->Next();
    return std::optional(TallyPart{part.window, std::move(tally)});
  }

 private:
  static constexpr UnixSeconds kEnd = ~UnixSeconds{0};

  const RocksStore& store_;
  const TaskId id_;
  const tally::Parts parts_;
  const std::string end_;
  const rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> row_;
};

Result<tally::Tally> RocksStore::tally(const Task& task, WindowRange range, const std::stop_token& stop) const {
  if (range.from >= range.to) return tally::Tally::empty(task.channel());
  rocksdb::ManagedSnapshot view(db_.get());
  const auto make_reader = [&](UnixSeconds to) -> Result<std::unique_ptr<TallyReader>> {
    return std::unique_ptr<TallyReader>(std::make_unique<PartReader>(*this, task, view.snapshot(), to));
  };
  return sum_windows(task, range, make_reader, max_tally_pairs_, stop);
}

std::unique_ptr<TallyReader> RocksStore::read_tallies(const Task& task) const {
  return std::make_unique<PartReader>(*this, task, nullptr);
}

Result<std::vector<Pair>> RocksStore::new_pairs(const TaskState& state, UnixSeconds window,
                                                const std::vector<Pair>& pairs) const {
  std::vector<Pair> fresh;
  for (auto from = pairs.begin(); from != pairs.end();) {
    std::vector<std::string> keys;
    std::vector<std::vector<Pair>::const_iterator> begins;  // where the pairs of each part begin
    tally::PartStart last;
    for (; from != pairs.end(); ++from) {
      const tally::PartStart part = state.parts.of(from->first, from->second);
      if (!keys.empty() && part == last) continue;
      if (keys.size() == kPairLookups) break;
      last = part;
      keys.push_back(PartKey{state.row.stored.task.id(), window, part}.encode());
      begins.push_back(from);
    }
    begins.push_back(from);
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> found(keys.size());
    db_->MultiGet({}, family(kTallies), keys.size(), slices.data(), values.data(), found.data());
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (found[k].IsNotFound()) {
        fresh.insert(fresh.end(), begins[k], begins[k + 1]);
        continue;
      }
      if (!found[k].ok()) return name_damage(found[k], env_, path_);
      const auto stored = tally::SampledTally::decode(values[k].ToStringView());
      if (!stored) return corrupt_entry("tallies", keys[k]);
      const std::vector<Entry> entries = stored->entries();
      auto entry = entries.begin();
      std::copy_if(begins[k], begins[k + 1], std::back_inserter(fresh), [&](const Pair& pair) {
        while (entry != entries.end() && pair_of(*entry) < pair) ++entry;
        return entry == entries.end() || pair_of(*entry) != pair;
      });
    }
  }
  return fresh;
}

}  // namespace hearsay::store::rocks
