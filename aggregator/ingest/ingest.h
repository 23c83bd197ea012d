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

// The outcome of one report.
struct ReportStatus {
  enum class Kind : std::uint8_t {
    kAccepted,  // counted because of this upload
    kReplayed,  // the same bytes were counted before
    kRejected,  // refused, and not counted
  };
  Kind kind = Kind::kAccepted;
  ErrorCode reason{};  // why the report is rejected
  bool operator==(const ReportStatus&) const = default;
};

// The outcome of a body, for the callback of Ingest::submit(). `task` and the views are valid only until the callback
// returns.
struct UploadResult {
  const Task& task;
  UnixSeconds now;                         // the server's clock when the reports were checked
  std::span<const ReportView> reports;     // in the body's order
  std::span<const ReportStatus> statuses;  // one for each report
  std::uint64_t accepted = 0;
  std::uint64_t replayed = 0;
  std::uint64_t rejected = 0;
};

// Returns a sentence that explains a rejection. The sentence holds no part of the report.
std::string rejection_detail(ErrorCode reason, const Task& task, UnixSeconds now);

// The largest body in JSON, in bytes. JSON is for people, and its parsed form takes many times its size.
inline constexpr std::size_t kMaxJsonBody = 1U << 20U;

struct IngestOptions {
  // The limit on the bytes of all bodies that wait for a commit. Beyond this limit, uploads get kOverloaded.
  std::size_t max_queued_bytes = 64U << 20U;
  // The limits on the reports and bytes in one commit. A larger body is committed alone, and not split.
  std::size_t max_batch_reports = 65'536;
  std::size_t max_batch_bytes = 8U << 20U;
  // The longest time that a commit waits until about half of the active clients have sent an upload.
  std::chrono::microseconds max_commit_delay{4000};
  std::uint64_t clock_skew_seconds = 300;  // how far a client's clock may be ahead of the server's
  // Returns true if the time `now` of the server's clock cannot be trusted. If the clock cannot be trusted and a report
  // would be refused for its time, the ingest refuses the whole body with kClockUncertain, and stores none of its
  // reports. Called on the threads that submit.
  std::function<bool(UnixSeconds now)> clock_in_doubt = [](UnixSeconds) { return false; };
};

struct IngestCounters {  // of all tasks, since the start; queued_bytes and queued_uploads are current values
  std::uint64_t commits = 0;
  std::uint64_t accepted = 0;
  std::uint64_t replayed = 0;
  // Rejected reports. Reports of a body that was refused as a whole do not count.
  std::uint64_t rejected = 0;
  std::uint64_t queued_bytes = 0;
  std::uint64_t queued_uploads = 0;
};

// Learns how long the stages of an upload took. Called on the threads that run the stages; must not block.
class IngestObserver {
 public:
  virtual ~IngestObserver() = default;
  virtual void decoded(std::chrono::nanoseconds took) = 0;  // a body was decoded and checked
  // A commit began. The oldest upload of the commit had been queued for `took`.
  virtual void waited(std::chrono::nanoseconds took) = 0;
  virtual void committed(std::chrono::nanoseconds took, std::size_t reports, bool durable) = 0;
};

// Commits uploads. A thread of its own commits the queued uploads of all tasks and connections in batches. Thread-safe.
class Ingest {
 public:
  // The ingest calls this function with the result, or with the reason why it refused the whole body.
  using Done = std::function<void(const Result<UploadResult>&)>;

  // `store`, `clock` and `observer` (may be null) must outlive the object. The threads that submit use `clock`.
  static std::unique_ptr<Ingest> start(store::Store& store, Clock& clock, const IngestOptions& options,
                                       IngestObserver* observer = nullptr);
  virtual ~Ingest() = default;

  // Takes a body of reports for the task (media type kReportsMediaType or application/json). Calls `done` once, on this
  // thread or the committing thread, when every report of the body is durable or refused. Until then `body` must stay.
  //
  // The whole body may be refused: kReportMalformed (it cannot be split into reports), kUnsupportedMediaType,
  // kBodyTooLarge, kOverloaded, kStoreFailed, kTaskClosed, kClockUncertain. Otherwise each report has its own status:
  // kReportWrongSize, kReportOutOfBounds, kReportTimeInvalid, kReportTooEarly (ahead of the clock by more than the
  // allowed skew), kTaskExpired, kReportExpired, kReportConflict, kUnrecognizedTask, kTaskClosed, kLimitExceeded (a
  // bound of the store), kClockUncertain (the report's window is sealed although it has not expired by the clock).
  virtual void submit(std::shared_ptr<const store::StoredTask> task, std::string_view media_type, std::string_view body,
                      Done done) = 0;

  // Returns an error if submit() would refuse a body of `bytes` bytes now. Call this before the body is read. Errors:
  // kOverloaded, kStoreFailed.
  virtual Result<void> admits(std::uint64_t bytes) const = 0;

  virtual IngestCounters counters() const = 0;
  // Commits the queued uploads. Later uploads get kOverloaded. May be called again.
  virtual void stop() = 0;
};

}  // namespace hearsay::ingest
