// Turns a request body into durable, counted reports: decodes, checks, and commits in groups.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "aggregator/store/store.h"
#include "hearsay/clock.h"
#include "hearsay/task.h"

namespace hearsay::ingest {

// What became of one report.
struct ReportStatus {
  enum class Kind : std::uint8_t {
    kAccepted,  // counted by this upload
    kReplayed,  // counted before, from the same bytes
    kRejected,  // not counted
  };
  Kind kind = Kind::kAccepted;
  ErrorCode reason{};  // of kRejected
  bool operator==(const ReportStatus&) const = default;
};

// What became of a body. The views are valid only during the call of `done`.
struct UploadResult {
  const Task& task;
  UnixSeconds now;                         // the server's clock when the reports were checked
  std::span<const ReportView> reports;     // in the body's order
  std::span<const ReportStatus> statuses;  // one for each
  std::uint64_t accepted = 0;
  std::uint64_t replayed = 0;
  std::uint64_t rejected = 0;
};

// Returns one sentence on a rejection. The sentence holds nothing of the report.
std::string rejection_detail(ErrorCode reason, const Task& task, UnixSeconds now);

// The largest body in JSON, which is for people. A larger one gets kBodyTooLarge, since its parsed form is many times
// its size.
inline constexpr std::size_t kMaxJsonBody = 1U << 20U;

struct IngestOptions {
  // Of bodies waiting for a commit. Beyond this, uploads get kOverloaded.
  std::size_t max_queued_bytes = 64U << 20U;
  // The most reports that one commit groups. A body with more is never split: it is committed alone.
  std::size_t max_batch_reports = 65'536;
  std::size_t max_batch_bytes = 8U << 20U;
  // A commit waits until half of the uploads that are on their way have come, but at most this long.
  std::chrono::microseconds max_commit_delay{4000};
  std::uint64_t clock_skew_seconds = 300;  // how far ahead of the server's clock a client's may be
  // Returns true if the server's clock, which says `now`, is not to be trusted. Then no report is refused for its time:
  // the whole body is refused with kClockUncertain, and nothing of it is stored. Called from the threads that submit.
  std::function<bool(UnixSeconds now)> clock_in_doubt = [](UnixSeconds) { return false; };
};

struct IngestCounters {  // since start, over all tasks
  std::uint64_t commits = 0;
  std::uint64_t accepted = 0;
  std::uint64_t replayed = 0;
  // Reports of a body that was refused whole are not counted.
  std::uint64_t rejected = 0;
  std::uint64_t queued_bytes = 0;
  std::uint64_t queued_uploads = 0;
};

// Hears how long the stages of an upload took. Called from the threads that run the stages; must not block.
class IngestObserver {
 public:
  virtual ~IngestObserver() = default;
  virtual void decoded(std::chrono::nanoseconds took) = 0;  // and checked
  // How long a commit's oldest upload waited for the commit to begin.
  virtual void waited(std::chrono::nanoseconds took) = 0;
  virtual void committed(std::chrono::nanoseconds took, std::size_t reports, bool durable) = 0;
};

// Commits uploads. A thread of its own commits whatever is queued as one batch, over all tasks and connections.
// Thread-safe.
class Ingest {
 public:
  // Gets the result, or why the whole body was refused.
  using Done = std::function<void(const Result<UploadResult>&)>;

  // `store`, `clock` and `observer` (may be null) must outlive the object. The threads that submit read `clock`.
  static std::unique_ptr<Ingest> start(store::Store& store, Clock& clock, const IngestOptions& options,
                                       IngestObserver* observer = nullptr);
  virtual ~Ingest() = default;

  // Takes a body of reports for the task (media type kReportsMediaType or application/json). Calls `done` once, when
  // every report of the body is durable or refused, from this thread or the committing one. Until then `body` must
  // stay.
  //
  // The whole body may be refused: kReportMalformed (it cannot be split into reports), kUnsupportedMediaType,
  // kBodyTooLarge, kOverloaded, kStoreFailed, kTaskClosed, kClockUncertain. Otherwise each report has its own status:
  // kReportWrongSize, kReportOutOfBounds, kReportTimeInvalid, kReportTooEarly (ahead of the clock by more than the
  // allowed skew), kTaskExpired, kReportExpired, kReportConflict; kClockUncertain if the report's window is sealed
  // although by the clock its time is not over.
  virtual void submit(std::shared_ptr<const store::StoredTask> task, std::string_view media_type, std::string_view body,
                      Done done) = 0;

  // Returns an error if a body of so many bytes would be refused at this moment, before it is read: kOverloaded,
  // kStoreFailed.
  virtual Result<void> admits(std::uint64_t bytes) const = 0;

  virtual IngestCounters counters() const = 0;
  // Commits what is queued. Later uploads get kOverloaded. Idempotent.
  virtual void stop() = 0;
};

}  // namespace hearsay::ingest
