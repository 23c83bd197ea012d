#include "aggregator/ingest/ingest.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "aggregator/ingest/body.h"
#include "common/base/exception_text.h"
#include "common/base/try.h"

namespace hearsay::ingest {
namespace {

using SteadyClock = std::chrono::steady_clock;

// A body that is not answered yet, with its reports and their statuses so far.
struct Upload {
  std::shared_ptr<const store::StoredTask> task;
  UnixSeconds now = 0;
  Body body;
  std::size_t bytes = 0;               // the body's size, as counted in queued_bytes
  std::vector<ReportStatus> statuses;  // one for each report; kAccepted also means "to be stored"
  std::size_t good = 0;                // how many reports are to be stored
  SteadyClock::time_point queued_at;
  Ingest::Done done;
};

ReportStatus rejected(ErrorCode reason) { return {ReportStatus::Kind::kRejected, reason}; }

ReportStatus status_of(store::AppendOutcome outcome) {
  switch (outcome) {
    case store::AppendOutcome::kAccepted:
      return {ReportStatus::Kind::kAccepted};
    case store::AppendOutcome::kReplayed:
      return {ReportStatus::Kind::kReplayed};
    case store::AppendOutcome::kConflict:
      return rejected(ErrorCode::kReportConflict);
    case store::AppendOutcome::kUnrecognizedTask:
      return rejected(ErrorCode::kUnrecognizedTask);
    case store::AppendOutcome::kTaskClosed:
      return rejected(ErrorCode::kTaskClosed);
    case store::AppendOutcome::kWindowFull:
    case store::AppendOutcome::kTooManyPairs:
    case store::AppendOutcome::kTooManyWindows:
      return rejected(ErrorCode::kLimitExceeded);
    case store::AppendOutcome::kExpired:
      return rejected(ErrorCode::kReportExpired);
    case store::AppendOutcome::kUnavailable:
      return rejected(ErrorCode::kStoreFailed);
  }
  return rejected(ErrorCode::kInternal);
}

// Returns true if the server's clock decides whether a report is refused for this reason.
bool depends_on_clock(ErrorCode reason) {
  return reason == ErrorCode::kReportTooEarly || reason == ErrorCode::kReportExpired ||
         reason == ErrorCode::kTaskExpired;
}

UploadResult result_of(const Upload& upload) {
  UploadResult result{upload.task->task, upload.now, upload.body.reports, upload.statuses, 0, 0, 0};
  for (const ReportStatus& status : upload.statuses) {
    result.accepted += status.kind == ReportStatus::Kind::kAccepted;
    result.replayed += status.kind == ReportStatus::Kind::kReplayed;
    result.rejected += status.kind == ReportStatus::Kind::kRejected;
  }
  return result;
}

class GroupCommit final : public Ingest {
 public:
  GroupCommit(store::Store& store, Clock& clock, const IngestOptions& options, IngestObserver* observer)
      : store_(store), clock_(clock), options_(options), observer_(observer), thread_([this] { run(); }) {}
  ~GroupCommit() override { stop(); }

  void submit(std::shared_ptr<const store::StoredTask> task, std::string_view media_type, std::string_view body,
              Done done) override {
    auto upload = std::make_unique<Upload>();
    if (!reserve(body.size())) return done(overloaded());
    upload->bytes = body.size();
    upload->task = std::move(task);
    upload->done = std::move(done);
    const auto begin = SteadyClock::now();
    const auto checked = check(*upload, media_type, body);
    upload->queued_at = SteadyClock::now();
    if (observer_ != nullptr) observer_->decoded(upload->queued_at - begin);
    if (!checked) return finish(*upload, checked.error());
    if (upload->good == 0) return finish(*upload, std::nullopt);
    enqueue(std::move(upload));
  }

  Result<void> admits(std::uint64_t bytes) const override {
    if (!store_.healthy())
      return Error{ErrorCode::kStoreFailed, "the store takes no reports: send the same bytes again later"};
    const std::lock_guard lock(mutex_);
    if (!has_room(bytes)) return overloaded();
    return {};
  }

  IngestCounters counters() const override {
    const std::lock_guard lock(mutex_);
    IngestCounters counters = counters_;
    counters.queued_uploads = queue_.size();
    counters.commits = commits_.load(std::memory_order_relaxed);
    return counters;
  }

  void stop() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    std::call_once(joined_, [this] { thread_.join(); });
  }

 private:
  using UploadPtr = std::unique_ptr<Upload>;

  static Error overloaded() {
    return {ErrorCode::kOverloaded, "too many reports are waiting: send the same bytes again later"};
  }

  // Needs mutex_.
  bool has_room(std::uint64_t bytes) const {
    return !stopping_ && bytes <= options_.max_queued_bytes - counters_.queued_bytes;
  }

  bool reserve(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (!has_room(bytes)) return false;
    counters_.queued_bytes += bytes;
    return true;
  }

  Result<void> check(Upload& upload, std::string_view media_type, std::string_view body) {
    const store::StoredTask& stored = *upload.task;
    upload.now = clock_.now();
    if (stored.closed_at) {  // even if the clock was set back before closed_at
      return Error{ErrorCode::kTaskClosed, "the task was closed at " + std::to_string(*stored.closed_at)};
    }
    HEARSAY_TRY(upload.body, decode_body(media_type, body));
    const bool in_doubt = options_.clock_in_doubt(upload.now);
    for (const ReportView& report : upload.body.reports) {
      const auto reason = check_report(stored.task, report, upload.now, options_.clock_skew_seconds);
      if (in_doubt && reason && depends_on_clock(*reason)) {
        return Error{ErrorCode::kClockUncertain, "the server's clock was changed; send the same bytes again later"};
      }
      upload.statuses.push_back(reason ? rejected(*reason) : ReportStatus{});
      upload.good += !reason;
    }
    return {};
  }

  void enqueue(UploadPtr upload) {
    {
      const std::lock_guard lock(mutex_);
      if (!stopped_) {
        queue_.push_back(std::move(upload));
        if (queue_.size() == awaited_) wake_.notify_one();
        return;
      }
    }
    finish(*upload, Error{ErrorCode::kOverloaded, "the aggregator is stopping"});
  }

  void finish(const Upload& upload, const std::optional<Error>& error) {
    const UploadResult result = result_of(upload);
    {
      const std::lock_guard lock(mutex_);
      counters_.queued_bytes -= upload.bytes;
      if (!error) {
        counters_.accepted += result.accepted;
        counters_.replayed += result.replayed;
        counters_.rejected += result.rejected;
      }
    }
    upload.done(error ? Result<UploadResult>(*error) : result);
  }

  void run() {
    pthread_setname_np(pthread_self(), "commit");
    while (take_batch()) commit();
  }

  // Waits for uploads, and moves those for one commit from the queue to batch_: as many as fit, but at least one.
  // Returns false if the ingest stops and the queue is empty.
  bool take_batch() {
    std::unique_lock lock(mutex_);
    await_uploads(lock, 1, std::nullopt);
    // A large commit costs little more than a small one, so a commit waits for the uploads of half of the clients.
    // Meanwhile other threads receive and check uploads.
    await_uploads(lock, clients_ / 2, options_.max_commit_delay);
    std::size_t reports = 0;
    std::size_t bytes = 0;
    for (UploadPtr& upload : queue_) {
      reports += upload->good;
      bytes += upload->bytes;
      const bool full = reports > options_.max_batch_reports || bytes > options_.max_batch_bytes;
      if (!batch_.empty() && full) break;
      batch_.push_back(std::move(upload));
    }
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(batch_.size()));
    stopped_ = batch_.empty();
    return !stopped_;
  }

  void await_uploads(std::unique_lock<std::mutex>& lock, std::size_t count,
                     std::optional<std::chrono::microseconds> limit) {
    awaited_ = count;
    const auto enough = [&] { return stopping_ || queue_.size() >= count; };
    if (limit) {
      wake_.wait_for(lock, *limit, enough);
    } else {
      wake_.wait(lock, enough);
    }
    awaited_ = 0;
  }

  void commit() {
    const auto begin = SteadyClock::now();
    if (observer_ != nullptr) observer_->waited(begin - batch_.front()->queued_at);
    const auto appended = append();
    if (observer_ != nullptr) {
      observer_->committed(SteadyClock::now() - begin, submissions_.size(), static_cast<bool>(appended));
    }
    if (appended) settle();
    std::optional<Error> error;
    // The store's own message may name files, so clients get another message.
    if (!appended)
      error = Error{ErrorCode::kStoreFailed, "the store takes no reports: send the same bytes again later"};
    ++commits_;
    count_clients();
    for (const UploadPtr& upload : batch_) finish(*upload, error ? error : unavailable(*upload));
    batch_.clear();
  }

  // Returns an error if a database that keeps some of the reports did not answer. A client repeats a body only if the
  // whole body is refused. Reports that were stored are replays when the client repeats the body.
  static std::optional<Error> unavailable(const Upload& upload) {
    const auto is_unavailable = [](const ReportStatus& status) { return status == rejected(ErrorCode::kStoreFailed); };
    if (std::none_of(upload.statuses.begin(), upload.statuses.end(), is_unavailable)) return std::nullopt;
    return Error{ErrorCode::kStoreFailed,
                 "a database that keeps some of these reports does not answer; send the same bytes again later"};
  }

  // Estimates how many clients are sending. A client waits for its answer before it sends again. So each unanswered
  // upload in the batch and the queue is from another client.
  void count_clients() {
    const std::lock_guard lock(mutex_);
    clients_ = std::max(batch_.size() + queue_.size(), clients_ - (clients_ + 15) / 16);
  }

  Result<void> append() {
    try {
      submissions_.clear();
      for (const UploadPtr& upload : batch_) {
        for_each_good(*upload, [&](std::size_t i) {
          submissions_.push_back({&upload->task->task, upload->body.reports[i], upload->body.encodings[i]});
        });
      }
      outcomes_.resize(submissions_.size());
      return store_.append(submissions_, outcomes_);
    } catch (const std::exception& e) {
      return Error{ErrorCode::kStoreFailed, "store: " + exception_text(e)};
    }
  }

  void settle() {
    auto next = outcomes_.begin();
    for (const UploadPtr& upload : batch_) {
      for_each_good(*upload, [&](std::size_t i) {
        upload->statuses[i] = status_of(*next++);
        // Either the clock was ahead when the window was sealed, or the clock is behind now. So the refusal is not
        // final.
        const Task& task = upload->task->task;
        const bool sealed_early = upload->statuses[i] == rejected(ErrorCode::kReportExpired) &&
                                  !task.is_expired(upload->body.reports[i].time, upload->now);
        if (sealed_early) upload->statuses[i] = rejected(ErrorCode::kClockUncertain);
      });
    }
  }

  template <class Function>
  static void for_each_good(const Upload& upload, const Function& function) {
    for (std::size_t i = 0; i < upload.statuses.size(); ++i) {
      if (upload.statuses[i].kind != ReportStatus::Kind::kRejected) function(i);
    }
  }

  store::Store& store_;
  Clock& clock_;
  const IngestOptions options_;
  IngestObserver* const observer_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<UploadPtr> queue_;
  IngestCounters counters_;
  std::size_t awaited_ = 0;  // for how many uploads the committing thread waits
  bool stopping_ = false;    // true if no new uploads are taken
  bool stopped_ = false;     // true after the committing thread has ended

  // Only the committing thread uses the members from batch_ to outcomes_, except commits_.
  std::vector<UploadPtr> batch_;
  std::size_t clients_ = 0;  // how many clients seem to be sending uploads
  std::atomic<std::uint64_t> commits_ = 0;
  std::vector<store::Submission> submissions_;
  std::vector<store::AppendOutcome> outcomes_;

  std::once_flag joined_;
  std::thread thread_;  // last member: the thread uses all other members
};

}  // namespace

std::unique_ptr<Ingest> Ingest::start(store::Store& store, Clock& clock, const IngestOptions& options,
                                      IngestObserver* observer) {
  return std::make_unique<GroupCommit>(store, clock, options, observer);
}

}  // namespace hearsay::ingest
