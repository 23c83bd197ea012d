// Takes a batch of reports: finds the new reports, and commits them together with their effect on the tallies.
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aggregator/store/report_digest.h"
#include "aggregator/store/rocks/block.h"
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "aggregator/store/window_pairs.h"
#include "aggregator/tally/tally.h"
#include "common/base/exception_text.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

// A block of kFullBlock bytes or more takes no further report. A smaller block stays below kMaxBlockBytes even after
// one more report of the largest size.
constexpr std::size_t kFullBlock = kMaxBlockBytes - kMaxPayloadBytes - 64;

UnixSeconds window_of(const Submission& submission) { return submission.task->window_of(submission.report.time); }

AppendOutcome repeated(bool same) { return same ? AppendOutcome::kReplayed : AppendOutcome::kConflict; }

}  // namespace

// All functions of this class need the store's write_mutex_.
class RocksStore::Append {
 public:
  Append(RocksStore& store, std::span<const Submission> submissions)
      : store_(store),
        submissions_(submissions),
        on_disk_(store.ids_from_ ||
                 store.index_usage_.bytes + submissions.size() * IdIndex::kMaxBytesPerEntry > store.max_index_bytes_) {}

  Result<void> run(std::span<AppendOutcome> outcomes);
  // After an error, removes the batch's ids from the index.
  void forget();

 private:
  // The changes that the batch makes to one window of a task.
  struct Delta {
    bool sealed = false;
    bool opens = false;                                   // true if the window has no tally yet
    std::uint64_t room = 0;                               // how many more reports the window takes
    std::uint64_t blocks = 0;                             // blocks made of accepted reports
    std::vector<std::span<const std::uint8_t>> payloads;  // payloads of the accepted reports, for the tally
    std::uint64_t in_body = 0;                            // accepted reports that are not yet in a block
    std::string body;                                     // encodings of the reports that in_body counts
    std::uint64_t pairs = 0;                              // by how much the window's count of pairs grows
    std::optional<NewPairs> new_pairs;                    // set if the window may get too many pairs
  };
  using Deltas = std::map<std::pair<TaskState*, UnixSeconds>, Delta>;

  void hide_ids();
  Result<AppendOutcome> decide(std::size_t i);
  // Returns the outcome of a report that was there before; nothing for a new report. `content` is what content_of()
  // returns for the report.
  std::optional<AppendOutcome> known(const TaskState& task, std::size_t i, std::span<const std::uint8_t> content,
                                     std::uint64_t digest) const;
  Result<void> remember(TaskState& task, std::size_t i, std::span<const std::uint8_t> content, std::uint64_t digest);
  Result<Deltas::iterator> delta_of(TaskState& task, UnixSeconds time);
  Result<std::optional<NewPairs>> look_up_pairs(const TaskState& task, UnixSeconds window, std::uint64_t pairs);
  // Returns the indexes of the batch's submissions to a window.
  std::span<const std::size_t> of_window(const Task& task, UnixSeconds window);
  // Returns why the window takes no new reports; nothing if the window takes new reports.
  std::optional<AppendOutcome> full(const TaskState& task, const Delta& delta) const;
  Result<void> put_block(Deltas::value_type& entry);
  Result<void> put_tally(Deltas::value_type& entry);
  Result<void> commit();

  RocksStore& store_;
  const std::span<const Submission> submissions_;
  const bool on_disk_;                              // true if the store writes the ids of this batch to the disk
  std::vector<HiddenId> hidden_;                    // for each submission
  std::vector<std::optional<std::string>> stored_;  // if on_disk_: for each submission, the digest on the disk
  // If on_disk_: the digests of the accepted reports of this batch.
  std::map<std::pair<const TaskState*, HiddenId>, std::uint64_t> fresh_;
  std::vector<std::pair<TaskState*, HiddenId>> indexed_;  // ids that the batch has put into indexes
  Deltas deltas_;
  std::map<const TaskState*, std::uint64_t> opened_;  // how many windows of each task the batch opens
  std::map<std::pair<TaskId, UnixSeconds>, std::vector<std::size_t>> by_window_;  // made by of_window()
  rocksdb::WriteBatch batch_;
  Totals change_;
};

Result<void> RocksStore::Append::run(std::span<AppendOutcome> outcomes) {
  hide_ids();
  if (on_disk_) {
    std::vector<std::string> keys;
    for (const Submission& submission : submissions_) {
      keys.push_back(id_key(submission.task->id(), window_of(submission), submission.report.id));
    }
    HEARSAY_TRY(stored_, store_.find_disk_ids(keys));
  }
  for (std::size_t i = 0; i < submissions_.size(); ++i) {
    HEARSAY_TRY(outcomes[i], decide(i));
  }
  if (change_.reports == 0) return {};
  for (auto& entry : deltas_) {
    HEARSAY_CHECK_OK(put_block(entry));
    HEARSAY_CHECK_OK(put_tally(entry));
  }
  return commit();
}

void RocksStore::Append::hide_ids() {
  hidden_.resize(submissions_.size());
  std::vector<ReportId> ids;  // ids of one window
  for (std::size_t from = 0, to = 0; from < submissions_.size(); from = to) {
    const UnixSeconds window = window_of(submissions_[from]);
    ids.clear();
    for (; to < submissions_.size() && window_of(submissions_[to]) == window; ++to) {
      ids.push_back(submissions_[to].report.id);
    }
    store_.secret_.hide(window, ids, std::span(hidden_).subspan(from, ids.size()));
  }
}

Result<AppendOutcome> RocksStore::Append::decide(std::size_t i) {
  const Submission& submission = submissions_[i];
  TaskState* const task = store_.find_task(submission.task->id());
  if (task == nullptr) return AppendOutcome::kUnrecognizedTask;
  if (task->row.stored.closed_at) return AppendOutcome::kTaskClosed;
  HEARSAY_TRY(const auto entry, delta_of(*task, submission.report.time));
  Delta& delta = entry->second;
  if (delta.sealed) return AppendOutcome::kExpired;
  const auto content = content_of(submission.encoded);
  const std::uint64_t digest = store_.secret_.digest(content);
  if (const auto outcome = known(*task, i, content, digest)) return *outcome;
  if (const auto refusal = full(*task, delta)) return *refusal;
  HEARSAY_CHECK_OK(remember(*task, i, content, digest));
  if (delta.opens && delta.payloads.empty()) ++opened_[task];
  if (delta.new_pairs) {
    const auto pair = pair_of(submission.task->channel(), submission.report.payload);
    if (pair) delta.new_pairs->count(*pair);
  }
  delta.body.append(reinterpret_cast<const char*>(submission.encoded.data()), submission.encoded.size());
  delta.payloads.push_back(submission.report.payload);
  --delta.room;
  ++delta.in_body;
  ++change_.reports;
  if (delta.body.size() >= kFullBlock) HEARSAY_CHECK_OK(put_block(*entry));
  return AppendOutcome::kAccepted;
}

std::optional<AppendOutcome> RocksStore::Append::known(const TaskState& task, std::size_t i,
                                                       std::span<const std::uint8_t> content,
                                                       std::uint64_t digest) const {
  if (const std::uint64_t other = task.index.find(hidden_[i]); other != 0) return repeated(other == digest);
  if (!on_disk_) return std::nullopt;
  if (const auto other = fresh_.find({&task, hidden_[i]}); other != fresh_.end()) {
    return repeated(other->second == digest);
  }
  if (stored_[i]) return repeated(*stored_[i] == disk_digest(content));
  return std::nullopt;
}

Result<void> RocksStore::Append::remember(TaskState& task, std::size_t i, std::span<const std::uint8_t> content,
                                          std::uint64_t digest) {
  if (!on_disk_) {
    task.index.insert(hidden_[i], digest);
    indexed_.emplace_back(&task, hidden_[i]);
    return {};
  }
  fresh_.emplace(std::pair(&task, hidden_[i]), digest);
  const std::string key = id_key(task.row.stored.task.id(), window_of(submissions_[i]), submissions_[i].report.id);
  return store_.put_disk_id(batch_, key, content);
}

Result<RocksStore::Append::Deltas::iterator> RocksStore::Append::delta_of(TaskState& task, UnixSeconds time) {
  const Task& public_task = task.row.stored.task;
  const UnixSeconds window = public_task.window_of(time);
  const auto [entry, is_new] = deltas_.try_emplace({&task, window});
  if (!is_new) return entry;
  Delta& delta = entry->second;
  delta.sealed = window < task.row.sealed_before;
  const auto stored = task.windows.find(window);
  delta.opens = stored == task.windows.end();
  const WindowCounts counts = delta.opens ? WindowCounts{} : stored->second;
  delta.room = store_.max_window_reports_ - std::min(store_.max_window_reports_, counts.reports);
  if (!delta.sealed) {
    HEARSAY_TRY(delta.new_pairs, look_up_pairs(task, window, counts.pairs));
  }
  return entry;
}

Result<std::optional<NewPairs>> RocksStore::Append::look_up_pairs(const TaskState& task, UnixSeconds window,
                                                                  std::uint64_t pairs) {
  const std::uint64_t most = store_.max_window_pairs_;
  if (!must_look_up(most, task.parts.pairs(), pairs, submissions_.size())) return std::optional<NewPairs>();
  const std::uint64_t room = most - std::min(most, pairs);
  if (room == 0) return std::optional(NewPairs({}, 0));
  const Task& public_task = task.row.stored.task;
  std::vector<Pair> all;
  for (const std::size_t i : of_window(public_task, window)) {
    // An invalid payload needs no pair here, since add_all() will refuse the whole batch.
    if (const auto pair = pair_of(public_task.channel(), submissions_[i].report.payload)) all.push_back(*pair);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  HEARSAY_TRY(std::vector<Pair> fresh, store_.new_pairs(task, window, all));
  return std::optional(NewPairs(std::move(fresh), room));
}

std::span<const std::size_t> RocksStore::Append::of_window(const Task& task, UnixSeconds window) {
  if (by_window_.empty()) {
    for (std::size_t i = 0; i < submissions_.size(); ++i) {
      const Task& of = *submissions_[i].task;
      by_window_[{of.id(), of.window_of(submissions_[i].report.time)}].push_back(i);
    }
  }
  return by_window_[{task.id(), window}];
}

std::optional<AppendOutcome> RocksStore::Append::full(const TaskState& task, const Delta& delta) const {
  if (delta.room == 0) return AppendOutcome::kWindowFull;
  if (delta.new_pairs && delta.new_pairs->full()) return AppendOutcome::kTooManyPairs;
  if (!delta.opens || !delta.payloads.empty()) return std::nullopt;
  const auto opened = opened_.find(&task);
  const std::uint64_t windows = task.open_windows + (opened == opened_.end() ? 0 : opened->second);
  if (windows >= store_.max_task_windows_) return AppendOutcome::kTooManyWindows;
  return std::nullopt;
}

Result<void> RocksStore::Append::put_block(Deltas::value_type& entry) {
  const auto& [task, window] = entry.first;
  Delta& delta = entry.second;
  if (delta.in_body == 0) return {};
  const BlockKey key{task->row.stored.task.id(), window, store_.totals_.blocks + change_.blocks};
  HEARSAY_CHECK_OK(
      to_result(batch_.Put(store_.family(kBlocks), key.encode(), encode_integer(delta.in_body) + delta.body)));
  ++change_.blocks;
  ++delta.blocks;
  delta.in_body = 0;
  delta.body.clear();
  return {};
}

Result<void> RocksStore::Append::put_tally(Deltas::value_type& entry) {
  const auto& [task, window] = entry.first;
  Delta& delta = entry.second;
  if (delta.payloads.empty()) return {};
  const Task& public_task = task->row.stored.task;
  tally::Tally tally = tally::Tally::empty(public_task.channel());
  HEARSAY_CHECK_OK(tally.add_all(public_task.channel(), delta.payloads));
  const auto merge = [&, start_of_window = window](const tally::PartStart& start,
                                                   const std::string& encoding) -> Result<void> {
    const PartKey key{public_task.id(), start_of_window, start};
    return to_result(batch_.Merge(store_.family(kTallies), key.encode(), encoding));
  };
  HEARSAY_TRY(delta.pairs, task->parts.split(tally, merge));
  if (delta.new_pairs) delta.pairs = delta.new_pairs->counted();
  return {};
}

Result<void> RocksStore::Append::commit() {
  if (on_disk_ && !store_.ids_from_) {
    store_.ids_from_ = store_.totals_.blocks;
    HEARSAY_CHECK_OK(
        to_result(batch_.Put(store_.family(kMeta), rocksdb::Slice(kIdsFromKey), encode_integer(*store_.ids_from_))));
  }
  change_.live_reports = change_.reports;
  change_.live_blocks = change_.blocks;
  HEARSAY_CHECK_OK(store_.commit(batch_, change_));
  const std::unique_lock lock(store_.tasks_mutex_);
  for (const auto& [key, delta] : deltas_) {
    if (delta.payloads.empty()) continue;
    TaskState& task = *key.first;
    task.reports += delta.payloads.size();
    task.blocks += delta.blocks;
    task.counted += delta.payloads.size();
    task.open_windows += delta.opens ? 1 : 0;
    WindowCounts& counts = task.windows[key.second];
    counts.reports += delta.payloads.size();
    counts.pairs += delta.pairs;
  }
  return {};
}

void RocksStore::Append::forget() {
  for (const auto& [task, id] : indexed_) task->index.erase(id);
}

Result<void> RocksStore::append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) {
  if (submissions.size() != outcomes.size()) {
    return Error{ErrorCode::kInvalidArgument, "store: there must be one outcome for each submission"};
  }
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  try {
    Append batch(*this, submissions);
    const auto result = batch.run(outcomes);
    if (result) return {};
    batch.forget();
    return damaged(result.error());
  } catch (const std::exception& e) {
    // After an exception, for example for lack of memory, the index may differ from the disk.
    return fail(failed("an append was broken off: " + exception_text(e)));
  }
}

}  // namespace hearsay::store::rocks
