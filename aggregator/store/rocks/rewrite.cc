// Stores of formats 2 and 3, which keep the whole tally of a window as one value.
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "aggregator/tally/parts.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{4} << 20U;

}  // namespace

// The whole tallies stay until all parts are written; the last commit removes them and says the format. Until then the
// parts count for nothing, and should this be broken off, the next start writes the same parts again.
Result<void> RocksStore::rewrite_tallies() {
  const std::lock_guard lock(write_mutex_);
  rocksdb::WriteBatch last;
  const auto rewrite = [&](std::string_view key, std::string_view value) -> Result<bool> {
    if (key.size() == kPartKeySize) return true;  // of an attempt that was broken off
    HEARSAY_CHECK_OK(cut_tally(key, value));
    HEARSAY_CHECK_OK(to_result(last.Delete(family(kTallies), rocksdb::Slice(key))));
    return true;
  };
  HEARSAY_CHECK_OK(for_each_entry(kTallies, {}, {}, rewrite));
  HEARSAY_CHECK_OK(to_result(last.Put(family(kMeta), rocksdb::Slice(kFormatKey), rocksdb::Slice(kFormat))));
  HEARSAY_CHECK_OK(commit(last, {}));
  format_ = kFormat;
  return {};
}

Result<void> RocksStore::cut_tally(std::string_view key, std::string_view value) {
  HEARSAY_TRY(const WindowKey window, decode_window("tallies", key));
  const TaskState* const state = find_task(window.task);
  const auto tally = tally::Tally::decode(value);
  if (state == nullptr || !tally || !state->parts.fit(*tally)) return corrupt_entry("tallies", key);
  rocksdb::WriteBatch batch;
  const auto put = [&](const tally::PartStart& start, const std::string& encoding) -> Result<void> {
    const PartKey part{window.task, window.window, start};
    HEARSAY_CHECK_OK(to_result(batch.Put(family(kTallies), part.encode(), encoding)));
    if (batch.GetDataSize() < kBatchBytes) return {};
    HEARSAY_CHECK_OK(commit(batch, {}));
    batch.Clear();
    return {};
  };
  HEARSAY_CHECK_OK(state->parts.split(*tally, put));
  return batch.Count() == 0 ? Result<void>() : commit(batch, {});
}

}  // namespace hearsay::store::rocks
