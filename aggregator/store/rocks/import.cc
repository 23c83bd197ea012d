// Takes over windows that another store has sealed. Marks the windows as sealed, and stores their tallies without
// reports.
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {

Result<void> RocksStore::import_seal(const Task& task, UnixSeconds before) {
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  TaskState* const state = find_task(task.id());
  if (state == nullptr) return Error{ErrorCode::kUnrecognizedTask, "there is no task " + task.id().to_string()};
  return seal(*state, before);
}

Result<void> RocksStore::import_tally(const Task& task, UnixSeconds window, const tally::Tally& tally) {
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  const TaskId& id = task.id();
  TaskState* const state = find_task(id);
  if (state == nullptr) return Error{ErrorCode::kUnrecognizedTask, "there is no task " + id.to_string()};
  const std::string begin = window_key(id, window);
  const std::string end = window_key(id, window + 1);
  bool has_reports = false;
  HEARSAY_CHECK_OK(for_each_block(begin, end, [&](const BlockKey&, std::string_view) -> Result<bool> {
    has_reports = true;
    return false;
  }));
  if (window >= state->row.sealed_before || has_reports || tally.reports() == 0 || !state->parts.fit(tally)) {
    return Error{ErrorCode::kInvalidArgument,
                 "the window is open or has reports, or the tally is empty or does not fit the task"};
  }
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.DeleteRange(family(kTallies), begin, end)));
  const auto put = [&](const tally::PartStart& start, const std::string& encoding) -> Result<void> {
    return to_result(batch.Put(family(kTallies), PartKey{id, window, start}.encode(), encoding));
  };
  HEARSAY_TRY(const std::uint64_t pairs, state->parts.split(tally, put));
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kSealed), begin, encode_integer(tally.reports()))));
  HEARSAY_CHECK_OK(commit(batch, {}));
  const std::unique_lock tasks_lock(tasks_mutex_);
  WindowCounts& counts = state->windows[window];
  state->counted += tally.reports() - counts.reports;
  counts = {tally.reports(), pairs};
  return {};
}

}  // namespace hearsay::store::rocks
