#include "aggregator/store/copy/copy.h"

#include <algorithm>
#include <span>

#include "common/base/try.h"

namespace hearsay::store {
namespace {

constexpr std::size_t kReportsAtOnce = 4096;
constexpr std::size_t kBytesAtOnce = std::size_t{4} << 20U;

bool equal(const SealedWindows& a, const SealedWindows& b) { return a.before == b.before && a.reports == b.reports; }

class TaskCopy {
 public:
  // `is_closed`: true if the task was closed at the same time in `to` and in `from`.
  TaskCopy(const Store& from, Store& to, const StoredTask& stored, bool is_closed, CopyResult& result)
      : from_(from),
        to_(to),
        task_(stored.task),
        closed_at_(stored.closed_at),
        is_closed_(is_closed),
        result_(result) {}

  Result<void> run() {
    HEARSAY_CHECK_OK(to_.add_task(task_));
    HEARSAY_TRY(const SealedWindows sealed, from_.sealed(task_));
    HEARSAY_CHECK_OK(copy_sealed(sealed));
    HEARSAY_CHECK_OK(from_.for_each_report(task_, [&](const ReportView& report) -> Result<void> {
      // The window is sealed in `from`, so the window's tally counts this report.
      if (task_.window_of(report.time) < sealed.before) return {};
      if (!is_closed_) return take(report);
      // A closed task takes no reports, not even replays. copy() closes a task last, so an earlier call has brought
      // this report.
      ++result_.present_reports;
      return {};
    }));
    HEARSAY_CHECK_OK(append());
    return closed_at_ && !is_closed_ ? to_.close_task(task_.id(), *closed_at_) : Result<void>();
  }

 private:
  Result<void> copy_sealed(const SealedWindows& sealed) {
    for (const auto& [window, reports] : sealed.reports) result_.sealed_reports += reports;
    HEARSAY_TRY(const SealedWindows present, to_.sealed(task_));
    if (equal(sealed, present)) return {};
    HEARSAY_CHECK_OK(to_.import_seal(task_, sealed.before));
    const std::unique_ptr<TallyReader> parts = from_.read_tallies(task_);
    HEARSAY_TRY(std::optional<TallyPart> part, parts->next());
    while (part && part->window < sealed.before) {
      const UnixSeconds window = part->window;
      tally::Tally tally = tally::Tally::empty(task_.channel());
      for (; part && part->window == window;) {
        HEARSAY_CHECK_OK(tally.merge(part->tally));
        HEARSAY_TRY(part, parts->next());
      }
      HEARSAY_CHECK_OK(to_.import_tally(task_, window, tally));
    }
    return {};
  }

  // `report` is valid only until the call returns.
  Result<void> take(const ReportView& report) {
    append_report({report.id, report.time, {report.payload.begin(), report.payload.end()}}, bytes_);
    ++reports_;
    return reports_ >= kReportsAtOnce || bytes_.size() >= kBytesAtOnce ? append() : Result<void>();
  }

  Result<void> append() {
    if (reports_ == 0) return {};
    std::vector<Submission> submissions;
    std::span<const std::uint8_t> rest(bytes_);
    while (!rest.empty()) {
      const std::span<const std::uint8_t> encoded = rest;
      HEARSAY_TRY(const ReportView report, read_report(rest));
      submissions.push_back({&task_, report, encoded.first(encoded.size() - rest.size())});
    }
    std::vector<AppendOutcome> outcomes(submissions.size());
    HEARSAY_CHECK_OK(to_.append(submissions, outcomes));
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i] == AppendOutcome::kAccepted) {
        ++result_.copied_reports;
      } else if (outcomes[i] == AppendOutcome::kReplayed) {
        ++result_.present_reports;
      } else {
        return Error{ErrorCode::kTaskConflict,
                     "task " + task_.id().to_string() + ": the other store refuses the report " +
                         submissions[i].report.id.to_string() +
                         "; it has other bytes under this id, or has closed the task or sealed "
                         "the window"};
      }
    }
    bytes_.clear();
    reports_ = 0;
    return {};
  }

  const Store& from_;
  Store& to_;
  const Task& task_;
  const std::optional<UnixSeconds> closed_at_;
  const bool is_closed_;
  CopyResult& result_;
  std::vector<std::uint8_t> bytes_;  // the encoded reports of the batch
  std::size_t reports_ = 0;          // number of reports in bytes_
};

}  // namespace

Result<CopyResult> copy(const Store& from, Store& to) {
  CopyResult result;
  HEARSAY_TRY(const std::vector<StoredTask> tasks, from.tasks());
  HEARSAY_TRY(const std::vector<StoredTask> present, to.tasks());
  for (const StoredTask& stored : tasks) {
    ++result.tasks;
    const bool is_closed = stored.closed_at && std::ranges::any_of(present, [&](const StoredTask& other) {
                             return other.task.id() == stored.task.id() && other.closed_at == stored.closed_at;
                           });
    HEARSAY_CHECK_OK(TaskCopy(from, to, stored, is_closed, result).run());
  }
  if (const auto noted = from.noted_clock()) HEARSAY_CHECK_OK(to.note_clock(*noted));
  return result;
}

}  // namespace hearsay::store
