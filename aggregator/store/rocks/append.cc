#include "aggregator/store/rocks/append.h"

#include <algorithm>

#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/status.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

// For how many reports the index is fetched from memory at once: the processor then looks their pages up side by side.
constexpr std::size_t kFetched = 32;
// Memory for blocks that is kept from one batch to the next.
constexpr std::size_t kKeptBytes = std::size_t{16} << 20U;
// A block that reaches this is finished; with a largest report it still stays below kMaxBlockBytes.
constexpr std::size_t kFullBlock = kMaxBlockBytes - kMaxPayloadBytes - 64;

AppendOutcome repeated(bool same) { return same ? AppendOutcome::kReplayed : AppendOutcome::kConflict; }

rocksdb::Slice slice_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<void> RocksStore::Append::run(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) {
  submissions_ = submissions;
  on_disk_ = store_.ids_from_.has_value() ||
             store_.index_bytes_ + submissions.size() * IdIndex::kMaxBytesPerEntry > store_.max_index_bytes_;
  resolve();
  auto result = prepare(outcomes);
  if (!result) {
    forget();
  } else if (!accepted_.empty()) {
    result = commit();
  }
  release();
  return result;
}

// Finds the tasks, once for consecutive submissions of one, and hides all ids at once.
void RocksStore::Append::resolve() {
  const std::size_t size = submissions_.size();
  tasks_.resize(size);
  ids_.resize(size);
  hidden_.resize(size);
  const Task* last = nullptr;
  TaskState* state = nullptr;
  for (std::size_t i = 0; i < size; ++i) {
    if (submissions_[i].task != last) {
      last = submissions_[i].task;
      state = store_.find_task(last->id());
    }
    tasks_[i] = state;
    ids_[i] = submissions_[i].report.id;
  }
  store_.secret_.hide(ids_, hidden_);
}

Result<void> RocksStore::Append::prepare(std::span<AppendOutcome> outcomes) {
  if (on_disk_) HEARSAY_CHECK_OK(look_up_on_disk());
  const std::size_t size = submissions_.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (i % kFetched == 0) prefetch(i, std::min(i + kFetched, size));
    if (tasks_[i] == nullptr) {
      outcomes[i] = AppendOutcome::kUnrecognizedTask;
      continue;
    }
    HEARSAY_TRY(outcomes[i], decide(i));
  }
  for (Delta& delta : std::span(deltas_).first(used_)) {
    if (delta.reports == 0) continue;
    HEARSAY_CHECK_OK(put_block(delta));
    const Task& task = delta.task->row.stored.task;
    tally::Tally tally = tally::Tally::empty(task.channel());
    HEARSAY_CHECK_OK(tally.add_all(task.channel(), delta.payloads));
    HEARSAY_CHECK_OK(
        to_result(batch_.Merge(store_.family(kTallies), tally_key(task.id(), delta.window), tally.encode())));
  }
  return {};
}

void RocksStore::Append::prefetch(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    if (tasks_[i] != nullptr) tasks_[i]->index.prefetch(hidden_[i]);
  }
}

Result<void> RocksStore::Append::look_up_on_disk() {
  stored_.assign(submissions_.size(), std::nullopt);
  if (!store_.ids_from_) return {};
  std::vector<std::size_t> which;
  std::vector<IdKey> keys;
  for (std::size_t i = 0; i < submissions_.size(); ++i) {
    if (tasks_[i] == nullptr || tasks_[i]->index.find(hidden_[i]) != 0) continue;
    which.push_back(i);
    keys.push_back(id_key(submissions_[i].task->id(), ids_[i]));
  }
  HEARSAY_TRY(const auto digests, store_.find_disk_ids(keys));
  for (std::size_t k = 0; k < which.size(); ++k) stored_[which[k]] = digests[k];
  return {};
}

Result<AppendOutcome> RocksStore::Append::decide(std::size_t i) {
  const ReportView& report = submissions_[i].report;
  HEARSAY_TRY(Delta * delta, delta_of(*tasks_[i], report.time));
  if (delta->sealed) return AppendOutcome::kExpired;
  const auto encoded = submissions_[i].encoded;
  const auto content = content_of(encoded);
  const std::uint64_t digest = store_.secret_.digest(content);
  auto refused = known(i, content, digest);
  if (!refused && delta->room == 0) refused = AppendOutcome::kWindowFull;
  if (refused) return *refused;
  delta->body.insert(delta->body.end(), encoded.begin(), encoded.end());
  delta->payloads.push_back(report.payload);
  HEARSAY_CHECK_OK(remember(i, content, digest));
  accepted_.push_back(i);
  --delta->room;
  ++delta->reports;
  ++delta->in_body;
  if (delta->body.size() >= kFullBlock) HEARSAY_CHECK_OK(put_block(*delta));
  return AppendOutcome::kAccepted;
}

std::optional<AppendOutcome> RocksStore::Append::known(std::size_t i, std::span<const std::uint8_t> content,
                                                       std::uint64_t digest) const {
  if (const std::uint64_t other = tasks_[i]->index.find(hidden_[i]); other != 0) return repeated(other == digest);
  if (!on_disk_) return std::nullopt;
  if (const std::uint64_t other = tasks_[i]->fresh.find(hidden_[i]); other != 0) return repeated(other == digest);
  if (stored_[i]) return repeated(*stored_[i] == disk_digest(content));
  return std::nullopt;
}

Result<void> RocksStore::Append::remember(std::size_t i, std::span<const std::uint8_t> content, std::uint64_t digest) {
  if (!on_disk_) {
    tasks_[i]->index.insert(hidden_[i], digest);
    return {};
  }
  tasks_[i]->fresh.insert(hidden_[i], digest);
  return store_.put_disk_id(batch_, id_key(submissions_[i].task->id(), ids_[i]), content);
}

Result<RocksStore::Append::Delta*> RocksStore::Append::delta_of(TaskState& task, UnixSeconds time) {
  const Task& public_task = task.row.stored.task;
  if (last_delta_ < used_) {
    Delta& last = deltas_[last_delta_];
    if (last.task == &task && time >= last.window && time - last.window < public_task.spec().time_precision) {
      return &last;
    }
  }
  const UnixSeconds window = public_task.window_of(time);
  const auto [known, is_new] = delta_numbers_.try_emplace({&task, window}, used_);
  last_delta_ = known->second;
  if (!is_new) return &deltas_[last_delta_];
  std::uint64_t room = store_.max_window_reports_;
  // While the store has taken fewer reports in all, no window can be full, and none needs to be read.
  if (store_.totals_.reports + submissions_.size() > room) {
    HEARSAY_TRY(const tally::Tally stored, store_.tally(public_task, {window, window + 1}));
    room -= std::min(room, stored.reports());
  }
  if (used_ == deltas_.size()) deltas_.emplace_back();
  Delta& delta = deltas_[used_++];
  delta.task = &task;
  delta.window = window;
  delta.sealed = window < task.row.sealed_before;
  delta.room = room;
  return &delta;
}

Result<void> RocksStore::Append::put_block(Delta& delta) {
  if (delta.in_body == 0) return {};
  const BlockKey key{delta.task->row.stored.task.id(), delta.window, store_.totals_.blocks + change_.blocks};
  const std::string key_bytes = key.encode();
  const IntegerBytes reports = encode_integer(delta.in_body);
  const rocksdb::Slice key_slice(key_bytes);
  const std::array<rocksdb::Slice, 2> value = {rocksdb::Slice(reports.data(), reports.size()), slice_of(delta.body)};
  ++change_.blocks;
  ++change_.live_blocks;
  ++delta.blocks;
  delta.in_body = 0;
  const rocksdb::Status status = batch_.Put(store_.family(kBlocks), rocksdb::SliceParts(&key_slice, 1),
                                            rocksdb::SliceParts(value.data(), value.size()));
  delta.body.clear();
  return to_result(status);
}

Result<void> RocksStore::Append::commit() {
  if (on_disk_ && !store_.ids_from_) {
    const IntegerBytes from = encode_integer(store_.totals_.blocks);
    HEARSAY_CHECK_OK(to_result(
        batch_.Put(store_.family(kMeta), rocksdb::Slice(kIdsFromKey), rocksdb::Slice(from.data(), from.size()))));
    store_.ids_from_ = store_.totals_.blocks;
  }
  change_.reports = change_.live_reports = accepted_.size();
  for (const Delta& delta : std::span(deltas_).first(used_)) {
    delta.task->reports += delta.reports;
    delta.task->blocks += delta.blocks;
    store_.count_index(*delta.task);
  }
  return store_.commit(batch_, change_);
}

// Takes the batch's ids out of the index again.
void RocksStore::Append::forget() {
  if (!on_disk_) {
    for (const std::size_t i : accepted_) tasks_[i]->index.erase(hidden_[i]);
  }
}

void RocksStore::Append::release() {
  std::size_t kept = 0;
  for (Delta& delta : std::span(deltas_).first(used_)) {
    delta.task->fresh.clear();
    store_.count_index(*delta.task);
    delta.body.clear();
    delta.payloads.clear();
    delta.in_body = delta.reports = delta.blocks = 0;
  }
  for (const Delta& delta : deltas_) {
    kept += delta.body.capacity() + delta.payloads.capacity() * sizeof(delta.payloads.front());
  }
  if (kept > kKeptBytes) deltas_.clear();
  used_ = last_delta_ = 0;
  delta_numbers_.clear();
  accepted_.clear();
  stored_.clear();
  change_ = {};
  submissions_ = {};
  if (batch_.Data().capacity() > kKeptBytes) {
    batch_ = rocksdb::WriteBatch();
  } else {
    batch_.Clear();
  }
}

Result<void> RocksStore::append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) {
  if (submissions.size() != outcomes.size()) {
    return Error{ErrorCode::kInvalidArgument, "store: there must be one outcome for each submission"};
  }
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  try {
    auto result = append_->run(submissions, outcomes);
    if (!result) return damaged(result.error());
    return {};
  } catch (const std::exception& e) {
    // Out of memory, say: what the index holds may no longer be what the disk does.
    return fail({ErrorCode::kStoreFailed, std::string("store: an append was broken off: ") + e.what()});
  }
}

}  // namespace hearsay::store::rocks
