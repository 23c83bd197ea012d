// Reading tallies: part by part, summed up over windows, and which pairs a window does not have yet.
#include <rocksdb/snapshot.h>

#include <algorithm>
#include <queue>

#include "aggregator/store/rocks/damage.h"
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "aggregator/tally/parts.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

using Entry = tally::SampledTally::Entry;

// Windows that are added up in one pass. Each has an iterator and a part in memory.
constexpr std::size_t kWindowsAtOnce = 64;
constexpr std::size_t kPairLookups = 1024;  // of new_pairs(), at a time

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
  // Reads on the view of the snapshot; without one, of this moment. `to`: behind the last window.
  PartReader(const RocksStore& store, const Task& task, const rocksdb::Snapshot* snapshot, UnixSeconds to = kEnd)
      : store_(store),
        id_(task.id()),
        parts_(task.channel()),
        end_(to == kEnd ? task_upper_bound(id_) : window_key(id_, to)),
        end_slice_(end_) {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    options.iterate_upper_bound = &end_slice_;
    // One pass over tallies must not push the ids' filters out.
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

// The sum of the windows in a range, on one view.
class RocksStore::RangeSum {
 public:
  RangeSum(const RocksStore& store, const Task& task, WindowRange range, const std::stop_token& stop)
      : store_(store), task_(task), range_(range), stop_(stop), view_(store.db_.get()) {}

  Result<tally::Tally> run() {
    if (std::holds_alternative<LaplaceChannel>(task_.channel().kind())) return of_laplace();
    PartReader windows(store_, task_, view_.snapshot(), range_.to);
    tally::SampledTally sum;
    for (UnixSeconds from = range_.from;;) {
      std::vector<Source> sources;
      while (sources.size() < kWindowsAtOnce) {
        windows.seek(from, {});
        HEARSAY_TRY(const std::optional<TallyPart> first, windows.next());
        if (!first) break;
        from = first->window + 1;
        HEARSAY_TRY(Source source, source_of(first->window));
        sources.push_back(std::move(source));
      }
      if (sources.empty()) return tally::Tally(std::move(sum));
      HEARSAY_TRY(sum, merged(std::move(sum), sources));
    }
  }

 private:
  // One window, or what is added up already.
  struct Source {
    std::unique_ptr<PartReader> reader;  // nothing: no further parts
    std::vector<Entry> entries;
    std::size_t next = 0;

    // Whether there is an entry at `next`.
    Result<bool> fill() {
      while (next == entries.size() && reader) {
        HEARSAY_TRY(std::optional<TallyPart> part, reader->next());
        if (!part) break;
        entries = std::get<tally::SampledTally>(std::move(part->tally).kind()).entries();
        next = 0;
      }
      return next < entries.size();
    }
  };

  Result<tally::Tally> of_laplace() {
    tally::Tally sum = tally::Tally::empty(task_.channel());
    PartReader reader(store_, task_, view_.snapshot(), range_.to);
    reader.seek(range_.from, {});
    for (;;) {
      if (stop_.stop_requested()) return stopped();
      HEARSAY_TRY(const std::optional<TallyPart> part, reader.next());
      if (!part) return sum;
      HEARSAY_CHECK_OK(sum.merge(part->tally));
    }
  }

  Result<Source> source_of(UnixSeconds window) {
    Source source{std::make_unique<PartReader>(store_, task_, view_.snapshot(), window + 1), {}, 0};
    source.reader->seek(window, {});
    return source;
  }

  Result<tally::SampledTally> merged(tally::SampledTally sum, std::vector<Source>& sources) const {
    if (sum.reports() != 0) sources.push_back({nullptr, std::move(sum).entries(), 0});
    const auto later = [&](std::size_t a, std::size_t b) {
      return pair_of(sources[a].entries[sources[a].next]) > pair_of(sources[b].entries[sources[b].next]);
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> queue(later);
    const auto enqueue = [&](std::size_t i) -> Result<void> {
      HEARSAY_TRY(const bool more, sources[i].fill());
      if (more) queue.push(i);
      return {};
    };
    for (std::size_t i = 0; i < sources.size(); ++i) HEARSAY_CHECK_OK(enqueue(i));
    tally::SampledTallyBuilder builder;
    while (!queue.empty()) {
      if (stop_.stop_requested()) return stopped();
      const std::size_t i = queue.top();
      queue.pop();
      HEARSAY_CHECK_OK(builder.add(sources[i].entries[sources[i].next++]));
      if (builder.pairs() > store_.max_tally_pairs_) return too_many();
      HEARSAY_CHECK_OK(enqueue(i));
    }
    sources.clear();
    return builder.finish();
  }

  static Error stopped() { return {ErrorCode::kCancelled, "adding the tallies up was stopped"}; }

  Error too_many() const {
    return {ErrorCode::kLimitExceeded, "the windows hold more than " + std::to_string(store_.max_tally_pairs_) +
                                           " different pairs of group and answer together (max_tally_pairs): ask for "
                                           "fewer windows"};
  }

  const RocksStore& store_;
  const Task& task_;
  const WindowRange range_;
  const std::stop_token& stop_;
  rocksdb::ManagedSnapshot view_;
};

Result<tally::Tally> RocksStore::tally(const Task& task, WindowRange range, const std::stop_token& stop) const {
  if (range.from >= range.to) return tally::Tally::empty(task.channel());
  return RangeSum(*this, task, range, stop).run();
}

std::unique_ptr<TallyReader> RocksStore::read_tallies(const Task& task) const {
  return std::make_unique<PartReader>(*this, task, nullptr);
}

Result<std::vector<RocksStore::Pair>> RocksStore::new_pairs(const TaskState& state, UnixSeconds window,
                                                            const std::vector<Pair>& pairs) const {
  std::vector<Pair> fresh;
  for (auto from = pairs.begin(); from != pairs.end();) {
    std::vector<std::string> keys;
    std::vector<std::vector<Pair>::const_iterator> begins;  // of the pairs of each part
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
