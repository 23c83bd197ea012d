#include "aggregator/ingest/ingest.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "aggregator/ingest/body.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

// An upload on its way: its reports, and what became of those that are decided.
struct Upload {
  Task task;
  std::unique_ptr<Body> body;
  std::size_t bytes;                    // counted in queued_bytes
  std::vector<ReportOutcome> outcomes;  // one per report
  std::vector<std::size_t> good;        // indices of the reports to store
  Ingest::Done done;
};

std::optional<Error> rejection_of(AppendOutcome outcome) {
  switch (outcome) {
    case AppendOutcome::kAccepted:
    case AppendOutcome::kReplayed:
      return std::nullopt;
    case AppendOutcome::kConflict:
      return Error{ErrorCode::kReportConflict, "the report's id is taken by other bytes"};
    case AppendOutcome::kUnrecognizedTask:
      return Error{ErrorCode::kUnrecognizedTask, "the task is gone"};
    case AppendOutcome::kWindowFull:
      return Error{ErrorCode::kLimitExceeded, "the window holds as many reports as a tally can count"};
    case AppendOutcome::kExpired:
      return Error{ErrorCode::kReportExpired, "the report's window is sealed"};
  }
  return Error{ErrorCode::kInternal, "unknown outcome"};
}

class GroupCommit final : public Ingest {
 public:
  GroupCommit(Store& store, Clock& clock, const IngestOptions& options)
      : store_(store), clock_(clock), options_(options), thread_([this] { run(); }) {}
  ~GroupCommit() override { stop(); }

  void submit(const StoredTask& task, std::string_view media_type, std::string body, Done done) override {
    const std::size_t bytes = body.size();
    if (!reserve(bytes)) return done(Error{ErrorCode::kOverloaded, "too many reports are waiting"});
    auto upload = check(task, media_type, std::move(body));
    if (!upload) {
      release(bytes);
      return done(upload.error());
    }
    (*upload)->bytes = bytes;
    if ((*upload)->good.empty()) {
      {
        const std::lock_guard lock(mutex_);
        counters_.queued_bytes -= bytes;
        counters_.rejected += (*upload)->outcomes.size();
      }
      return done(std::move((*upload)->outcomes));
    }
    (*upload)->done = std::move(done);
    enqueue(*std::move(upload));
  }

  IngestCounters counters() const override {
    const std::lock_guard lock(mutex_);
    return counters_;
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
  bool reserve(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (stopping_ || bytes > options_.max_queued_bytes - counters_.queued_bytes) return false;
    counters_.queued_bytes += bytes;
    return true;
  }

  void release(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    counters_.queued_bytes -= bytes;
  }

  // Decodes the body and sorts out the reports that the task does not take.
  Result<std::unique_ptr<Upload>> check(const StoredTask& task, std::string_view media_type, std::string bytes) {
    const UnixSeconds now = clock_.now();
    if (task.closed_at && now >= *task.closed_at) {
      return Error{ErrorCode::kTaskClosed, "the task was closed at " + std::to_string(*task.closed_at)};
    }
    auto body = Body::decode(media_type, std::move(bytes));
    if (!body) return body.error();
    auto upload = std::make_unique<Upload>(Upload{task.task, *std::move(body), 0, {}, {}, {}});
    for (const ReportView& report : upload->body->reports()) {
      ReportOutcome& outcome = upload->outcomes.emplace_back();
      outcome.id = report.id;
      if (auto good = check_report(upload->task, report, now, options_.clock_skew_seconds); !good) {
        outcome.rejection = good.error();
      } else {
        upload->good.push_back(upload->outcomes.size() - 1);
      }
    }
    return upload;
  }

  void enqueue(std::unique_ptr<Upload> upload) {
    {
      const std::lock_guard lock(mutex_);
      if (!stopped_) {
        queue_.push_back(std::move(upload));
        wake_.notify_one();
        return;
      }
      counters_.queued_bytes -= upload->bytes;
    }
    upload->done(Error{ErrorCode::kOverloaded, "the server stops"});
  }

  void run() {
    while (true) {
      std::vector<std::unique_ptr<Upload>> batch;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) {
          stopped_ = true;
          return;
        }
        batch = take_batch();
      }
      commit(batch);
    }
  }

  // Whole uploads from the front of the queue, as many as fit one commit, at least one. Needs mutex_.
  std::vector<std::unique_ptr<Upload>> take_batch() {
    std::vector<std::unique_ptr<Upload>> batch;
    std::size_t reports = 0;
    while (!queue_.empty()) {
      reports += queue_.front()->good.size();
      if (!batch.empty() && reports > options_.max_batch_reports) break;
      batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    return batch;
  }

  Result<std::vector<AppendOutcome>> append(const std::vector<std::unique_ptr<Upload>>& batch) {
    try {
      std::vector<Submission> submissions;
      for (const auto& upload : batch) {
        for (const std::size_t i : upload->good) submissions.push_back({&upload->task, upload->body->reports()[i]});
      }
      std::vector<AppendOutcome> outcomes(submissions.size());
      HEARSAY_CHECK_OK(store_.append(submissions, outcomes));
      return outcomes;
    } catch (const std::exception& e) {
      return Error{ErrorCode::kStoreFailed, std::string("store: ") + e.what()};
    }
  }

  void commit(std::vector<std::unique_ptr<Upload>>& batch) {
    const auto appended = append(batch);
    if (appended) settle(batch, *appended);
    {
      const std::lock_guard lock(mutex_);
      ++counters_.commits;
      for (const auto& upload : batch) {
        counters_.queued_bytes -= upload->bytes;
        if (appended) count(upload->outcomes);
      }
    }
    for (const auto& upload : batch) {
      if (appended) {
        upload->done(std::move(upload->outcomes));
      } else {
        upload->done(Error{ErrorCode::kStoreFailed, appended.error().message});
      }
    }
  }

  static void settle(std::vector<std::unique_ptr<Upload>>& batch, const std::vector<AppendOutcome>& appended) {
    auto next = appended.begin();
    for (const auto& upload : batch) {
      for (const std::size_t i : upload->good) {
        ReportOutcome& outcome = upload->outcomes[i];
        outcome.rejection = rejection_of(*next);
        outcome.counted = !outcome.rejection;
        outcome.replayed = *next == AppendOutcome::kReplayed;
        ++next;
      }
    }
  }

  // Needs mutex_.
  void count(const std::vector<ReportOutcome>& outcomes) {
    for (const ReportOutcome& outcome : outcomes) {
      ++(outcome.rejection ? counters_.rejected : outcome.replayed ? counters_.replayed : counters_.accepted);
    }
  }

  Store& store_;
  Clock& clock_;
  const IngestOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::unique_ptr<Upload>> queue_;
  IngestCounters counters_;
  bool stopping_ = false;  // nothing new is taken
  bool stopped_ = false;   // nor what was being decoded
  std::once_flag joined_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<Ingest> Ingest::start(Store& store, Clock& clock, const IngestOptions& options) {
  return std::make_unique<GroupCommit>(store, clock, options);
}

}  // namespace hearsay::aggregator
