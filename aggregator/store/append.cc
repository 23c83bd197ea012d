// Taking a batch of reports: which are new, and the one commit that holds them and their effect on the tallies.
#include <algorithm>
#include <numeric>

#include "aggregator/store/rocks_store.h"
#include "aggregator/store/status.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

std::string_view view(const ReportKey& key) { return {key.data(), key.size()}; }

bool same_bytes(const ReportView& a, const ReportView& b) {
  return a.time == b.time && std::equal(a.payload.begin(), a.payload.end(), b.payload.begin(), b.payload.end());
}

}  // namespace

class RocksStore::Append {
 public:
  Append(const RocksStore& store, std::span<const Submission> submissions)
      : store_(store), submissions_(submissions), outcomes_(submissions.size(), AppendOutcome::kUnrecognizedTask) {}

  // Decides each submission and fills the batch. Errors: kStoreFailed, kStoreCorrupt, those of Channel::add().
  Result<void> prepare(rocksdb::WriteBatch& batch) {
    assign_slots();
    HEARSAY_CHECK_OK(look_up());
    for (std::size_t i = 0; i < submissions_.size(); ++i) {
      if (slot_of_[i] == kNoSlot) continue;
      HEARSAY_TRY(outcomes_[i], decide(i, batch));
    }
    for (const auto& [window, delta] : deltas_) {
      const auto& [task, start] = window;
      HEARSAY_CHECK_OK(
          to_result(batch.Merge(store_.family(kTallies), tally_key(task, start), delta.accepted.encode())));
    }
    return {};
  }

  std::uint64_t accepted() const { return accepted_; }
  std::vector<AppendOutcome> take_outcomes() && { return std::move(outcomes_); }

 private:
  static constexpr std::size_t kNoSlot = ~std::size_t{0};
  static constexpr std::uint64_t kMaxWindowReports = Tally::kMaxReports;

  // What is known about one distinct key of the batch.
  struct Slot {
    ReportKey key;
    std::optional<std::size_t> accepted;  // the submission of this batch that took it
  };
  // What the batch adds to a window.
  struct Delta {
    Tally accepted;
    std::uint64_t room;  // reports that the window still takes
  };

  // Numbers the distinct keys in ascending order. Sorting, because clients choose the ids and could make a hash table
  // collide.
  void assign_slots() {
    std::vector<std::pair<ReportKey, std::size_t>> keys;
    keys.reserve(submissions_.size());
    for (std::size_t i = 0; i < submissions_.size(); ++i) {
      const TaskId& task = submissions_[i].task->id();
      if (store_.has_task(task)) keys.emplace_back(report_key(task, submissions_[i].report.id), i);
    }
    // As RocksDB orders them: bytes are unsigned in a string_view, not in an array of char.
    std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return view(a.first) < view(b.first); });
    slot_of_.assign(submissions_.size(), kNoSlot);
    slots_.reserve(keys.size());
    for (const auto& [key, i] : keys) {
      if (slots_.empty() || slots_.back().key != key) slots_.push_back({key, std::nullopt});
      slot_of_[i] = slots_.size() - 1;
    }
  }

  Result<void> look_up() {
    std::vector<rocksdb::Slice> keys;
    keys.reserve(slots_.size());
    for (const Slot& slot : slots_) keys.emplace_back(view(slot.key));
    stored_ = std::vector<rocksdb::PinnableSlice>(slots_.size());
    found_ = std::vector<rocksdb::Status>(slots_.size());
    constexpr bool kSorted = true;
    store_.db_->MultiGet({}, store_.family(kReports), keys.size(), keys.data(), stored_.data(), found_.data(), kSorted);
    for (const rocksdb::Status& status : found_) {
      if (!status.IsNotFound()) HEARSAY_CHECK_OK(to_result(status));
    }
    return {};
  }

  Result<AppendOutcome> decide(std::size_t i, rocksdb::WriteBatch& batch) {
    const Submission& submission = submissions_[i];
    Slot& slot = slots_[slot_of_[i]];
    const auto repeated = [](bool same) { return same ? AppendOutcome::kReplayed : AppendOutcome::kConflict; };
    if (found_[slot_of_[i]].ok()) {
      const rocksdb::PinnableSlice& value = stored_[slot_of_[i]];
      return repeated(is_value_of({value.data(), value.size()}, submission.report));
    }
    if (slot.accepted) return repeated(same_bytes(submissions_[*slot.accepted].report, submission.report));

    HEARSAY_TRY(Delta * delta, delta_of(*submission.task, submission.report.time));
    if (delta->room == 0) return AppendOutcome::kWindowFull;
    HEARSAY_CHECK_OK(submission.task->channel().add(submission.report.payload, delta->accepted));
    HEARSAY_CHECK_OK(put(slot.key, submission.report, batch));
    --delta->room;
    ++accepted_;
    slot.accepted = i;
    return AppendOutcome::kAccepted;
  }

  Result<Delta*> delta_of(const Task& task, UnixSeconds time) {
    const std::pair<TaskId, UnixSeconds> window{task.id(), task.window_of(time)};
    if (const auto known = deltas_.find(window); known != deltas_.end()) return &known->second;
    std::uint64_t room = kMaxWindowReports;
    // While the whole store holds fewer reports, no window can be full, and none needs to be read.
    if (store_.totals_.reports + submissions_.size() > kMaxWindowReports) {
      HEARSAY_TRY(const Tally stored, store_.tally(task, {window.second, window.second + 1}));
      room -= std::min(room, stored.reports());
    }
    return &deltas_.emplace(window, Delta{task.channel().empty_tally(), room}).first->second;
  }

  Result<void> put(const ReportKey& key, const ReportView& report, rocksdb::WriteBatch& batch) {
    const IntegerBytes time = encode_integer(report.time);
    const rocksdb::Slice key_slice(view(key));
    const std::array<rocksdb::Slice, 2> value = {
        rocksdb::Slice(time.data(), time.size()),
        rocksdb::Slice(reinterpret_cast<const char*>(report.payload.data()), report.payload.size())};
    return to_result(batch.Put(store_.family(kReports), rocksdb::SliceParts(&key_slice, 1),
                               rocksdb::SliceParts(value.data(), value.size())));
  }

  const RocksStore& store_;
  const std::span<const Submission> submissions_;
  std::vector<AppendOutcome> outcomes_;
  std::vector<std::size_t> slot_of_;  // by submission
  std::vector<Slot> slots_;
  std::vector<rocksdb::PinnableSlice> stored_;  // by slot
  std::vector<rocksdb::Status> found_;          // by slot
  std::map<std::pair<TaskId, UnixSeconds>, Delta> deltas_;
  std::uint64_t accepted_ = 0;
};

Result<void> RocksStore::append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) {
  if (submissions.size() != outcomes.size()) {
    return Error{ErrorCode::kInvalidArgument, "store: there must be one outcome for each submission"};
  }
  const std::lock_guard lock(write_mutex_);
  HEARSAY_CHECK_OK(writable());
  Append append(*this, submissions);
  rocksdb::WriteBatch batch;
  if (auto prepared = append.prepare(batch); !prepared) {
    // A store that is known to be damaged takes nothing more.
    return prepared.error().code == ErrorCode::kStoreCorrupt ? fail(prepared.error()) : prepared.error();
  }
  if (append.accepted() > 0) HEARSAY_CHECK_OK(commit(batch, append.accepted()));
  const auto decided = std::move(append).take_outcomes();
  std::copy(decided.begin(), decided.end(), outcomes.begin());
  return {};
}

}  // namespace hearsay::aggregator
